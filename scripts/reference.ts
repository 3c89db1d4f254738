import { writeFileSync } from 'node:fs';
import { referencePages } from './reference-pages.ts';

/** Writes the parts of the documentation that are derived from the code. */

for (const [file, text] of referencePages()) writeFileSync(file, text);
