import { builds } from '@chat-web/simulator';
import { storiesOf } from '../helpers/build-stories.ts';

for (const build of builds.slice(0, -1)) storiesOf(build);
