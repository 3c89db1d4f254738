import { builds } from '@chat-web/simulator';
import { storiesOf } from './helpers/build-stories.ts';

// The oldest and the newest; those between are told with the faults, since they take a minute.
for (const build of [builds.at(0), builds.at(-1)]) if (build) storiesOf(build);
