import assert from 'node:assert/strict';
import {
  ARCHIVE_TYPE,
  bodyFields,
  type Example,
  type Operation,
  type OperationName,
  operations,
  pathOf,
} from '@chat-web/protocol';

import { pace } from './pace.ts';
import { type RawAnswer, type RawRequest, rawRequest } from './raw-request.ts';

/** The header that a body requires. */
export const JSON_TYPE = { 'content-type': 'application/json' };

/** An example of an operation, under the title that it has in the reference. */
export interface TitledExample {
  readonly name: OperationName;
  readonly title: string;
  readonly example: Example;
}

/** The examples of operations, in the order of their names. */
export const examplesOf = (names: readonly OperationName[]): TitledExample[] =>
  names.flatMap((name) =>
    Object.entries<Example>(operations[name].examples).map(([title, example]) => ({ name, title, example })),
  );

export function requestOf(name: OperationName, input: Example): RawRequest {
  const row: Operation = operations[name];
  const body = bodyFields(row, input);
  const isSent = row.body || (row.optionalBody && Object.keys(body).length > 0);
  return {
    method: row.method,
    path: pathOf(row, input, (_, value) => encodeURIComponent(String(value))),
    ...(isSent ? { headers: JSON_TYPE, body: JSON.stringify(body) } : {}),
  };
}

const MAX_WAIT_SECONDS = 15;

/** Requests an example; if numbers or names were looked up just before, once more after the time that the answer says. */
export async function askExample(
  ask: (request: RawRequest) => Promise<RawAnswer>,
  { name, example }: Omit<TitledExample, 'title'>,
): Promise<RawAnswer> {
  const answer = await ask(requestOf(name, example));
  const waitSeconds = Number(answer.headers['retry-after']);
  if (answer.status !== 429 || !(waitSeconds <= MAX_WAIT_SECONDS)) return answer;
  await pace(waitSeconds * 1_000);
  return ask(requestOf(name, example));
}

/** Every operation as a valid request, its first example. Tests change parts of it. */
export const rows = (Object.entries(operations) as [OperationName, Operation][]).map(([name, row]) => {
  const [example = {}] = Object.values(row.examples);
  const { path, body } = requestOf(name, example);
  return {
    name,
    method: row.method,
    path: (id: string) => path.replace(/^\/sessions\/[^/?]+/, () => `/sessions/${id}`),
    hasId: row.path.includes(':id'),
    otherParam: row.path.startsWith('/sessions/:id/') ? /:(?!id\b)(\w+)/.exec(row.path)?.[1] : undefined,
    body,
    type: row.archive === 'taken' ? { 'content-type': ARCHIVE_TYPE } : JSON_TYPE,
  };
});
/** Those on a session. */
export const rowsWithId = rows.filter(({ hasId }) => hasId);

/** Requests an operation on a session from a gateway. */
export const ask = (url: string, row: (typeof rows)[number], id: string, headers: Record<string, string> = {}) =>
  rawRequest(url, { method: row.method, path: row.path(id), headers: { ...row.type, ...headers }, body: row.body });

/** Checks that a response is an error of that status and code, with a readable message. */
export function expectError({ status, body }: RawAnswer, expectedStatus: number, code: string): void {
  assert.deepEqual({ status, code: body.code }, { status: expectedStatus, code });
  assert.match(body.error ?? '', /\w+ \w+/);
}
