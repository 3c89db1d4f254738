import { type Example, examples, type OperationName, operations, queryText } from '@chat-web/protocol';
import { type RawAnswer, type RawRequest, rawRequest } from './raw-request.ts';
import { JSON_TYPE } from './rows.ts';

/** An example of an operation, under the title that it has in the reference. */
export interface TitledExample {
  readonly name: OperationName;
  readonly title: string;
  readonly example: Example;
}

/** The examples of operations, in the order of their names. */
export const examplesOf = (names: readonly OperationName[]): TitledExample[] =>
  names.flatMap((name) => Object.entries(examples[name]).map(([title, example]) => ({ name, title, example })));

/** An example as a request, with another query or body where that is given. */
export function requestOf(name: OperationName, { path, query = {}, body }: Example): RawRequest {
  const row = operations[name];
  const filled = row.path.replace(/:(\w+)/g, (_, param: string) => encodeURIComponent(path[param] ?? ''));
  return {
    ...{ method: row.method, path: `${filled}${queryText(query)}` },
    ...(body === undefined ? {} : { headers: JSON_TYPE, body: JSON.stringify(body) }),
  };
}

/** Sends an example. */
export const askExample = (url: string, { name, example }: TitledExample): Promise<RawAnswer> =>
  rawRequest(url, requestOf(name, example));
