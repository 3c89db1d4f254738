import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { openApiDocument, version } from '@chat-web/gateway/tools';
import { postmanCollection } from './postman-collection.ts';
import { referencePages } from './reference-pages.ts';

/**
 * Writes the parts of the documentation that are derived from the code, and in `build/` the OpenAPI document and a Postman
 * collection.
 */

const BUILD = fileURLToPath(new URL('../../build/', import.meta.url));

for (const [file, text] of referencePages()) writeFileSync(file, text);
const openapi = openApiDocument(version(), true);
const documents = {
  openapi,
  postman: postmanCollection(openapi as unknown as Parameters<typeof postmanCollection>[0]),
};
mkdirSync(BUILD, { recursive: true });
for (const [name, document] of Object.entries(documents))
  writeFileSync(`${BUILD}${name}.json`, `${JSON.stringify(document, null, 2)}\n`);
