import { builds } from '@chat-web/simulator';
import { storiesOf } from './helpers/build-stories.ts';

// The newest; those before it are told with the faults, since they take a minute.
for (const build of builds.slice(-1)) storiesOf(build);
