import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { openApiDocument, version } from '@chat-web/gateway/tools';
import { referencePages } from './reference-pages.ts';

/** Writes the parts of the documentation that are derived from the code, and `build/openapi.json`. */

const BUILD = fileURLToPath(new URL('../../build/', import.meta.url));

for (const [file, text] of referencePages()) writeFileSync(file, text);
mkdirSync(BUILD, { recursive: true });
writeFileSync(`${BUILD}openapi.json`, `${JSON.stringify(openApiDocument(version(), true), null, 2)}\n`);
