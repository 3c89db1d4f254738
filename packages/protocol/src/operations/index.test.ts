import * as v from 'valibot';
import { expect, it } from 'vitest';
import type { Operation } from '../operation.ts';
import { bodyFields } from '../query.ts';
import { operations } from './index.ts';

it.each(Object.entries<Operation>(operations))('the examples of %s are valid inputs', (_, operation) => {
  const { params, query = v.strictObject({}), body, optionalBody = v.strictObject({}), examples } = operation;
  expect(Object.keys(examples)).not.toEqual([]);
  for (const example of Object.values(examples)) {
    const fields = bodyFields(operation, example);
    const inUrl = Object.entries(example).filter(([name]) => !Object.hasOwn(fields, name));
    const inQuery = inUrl.filter(([name]) => !operation.path.includes(`:${name}`));
    expect(v.safeParse(params, Object.fromEntries(inUrl)).issues).toBeUndefined();
    expect(v.safeParse(query, Object.fromEntries(inQuery)).issues).toBeUndefined();
    // The gateway replaces the text of `base64` by a file before it validates a body.
    if (!('base64' in fields)) expect(v.safeParse(body ?? optionalBody, fields).issues).toBeUndefined();
  }
});

it.each<[string, v.GenericSchema, unknown]>([
  ['items', operations.createEventTicket.optionalBody, { chats: new Array(9_000).fill(1) }],
  ['people', operations.createGroup.body, { subject: 'x', participants: new Array(9_000).fill(1) }],
  ['headers', operations.createWebhook.body, { url: 'https://a.example', headers: many(1) }],
  ['metadata', operations.setSessionMetadata.body, { metadata: many(1) }],
])('too many %s are one issue: what they contain is not looked at', (_, schema, body) => {
  expect(v.safeParse(schema, body).issues).toEqual([
    expect.objectContaining({ message: expect.stringContaining('at most') }),
  ]);
});

function many(value: unknown): Record<string, unknown> {
  return Object.fromEntries(Array.from({ length: 9_000 }, (_, n) => [`!${n}`, value]));
}
