import { builds } from '@chat-web/simulator';
import { storiesOf } from '../helpers/build-stories.ts';

for (const build of builds) storiesOf(build);
