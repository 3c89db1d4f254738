import { ARCHIVE_TYPE, answersMedia, type Operation, queryText } from '@chat-web/protocol';
import { curlText, quoted } from '../../parts/curl.ts';
import { jsonText } from '../../parts/shown-text.ts';
import type { DraftedCall } from './draft.ts';

/** The address of the gateway, and whether it requires a token. */
interface Place {
  readonly url: string;
  readonly hasToken: boolean;
}

/** Names that need no quoting in a shell or in JavaScript, and look unambiguous. */
const PLAIN_NAME = /^[A-Za-z0-9_][A-Za-z0-9_. -]*$/;

/** A call as a command, to run in the folder of the file that it sends. */
export function asCurl(operation: Operation, call: DraftedCall, { url, hasToken }: Place): string {
  const { path, query, body, file, idempotencyKey } = call;
  const { method, archive } = operation;
  const type = archive === 'taken' ? ARCHIVE_TYPE : body && 'application/json';
  const headers = {
    ...(type ? { 'Content-Type': type } : {}),
    ...(idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }),
  };
  const text = jsonText({ ...body, ...(file && body ? { base64: '' } : {}) }, 0);
  const isPiped = file !== undefined && body !== undefined;
  const more = [
    ...(archive === 'taken' ? [`-T ${quoted(nameOf(file))}`] : []),
    ...(isPiped ? ['--data-binary @-'] : body ? [`-d ${quoted(text)}`] : []),
    ...(answersMedia(operation) ? ['-o media'] : archive === 'answered' ? ['-o session.tar'] : []),
  ];
  const command = curlText(
    { method, url: url + filledPath(operation.path, path) + queryText(query), headers, more },
    hasToken,
  );
  if (!isPiped) return command;
  // A file does not fit into a command line.
  const head = text.slice(0, -'"}'.length);
  return `{ printf %s ${quoted(head)}; base64 -w 0 ${quoted(nameOf(file))}; printf %s '"}'; } |\n  ${command}`;
}

/** A call with the typed client of `@chat-web/host`. */
export function asClient(name: string, { archive }: Operation, call: DraftedCall, { url, hasToken }: Place): string {
  const { path, query, body, file, idempotencyKey } = call;
  const opened = file && `await openAsBlob(${written(nameOf(file))})`;
  const fields = [
    ...Object.entries({ ...path, ...query, ...body }).map(([field, value]) => `${field}: ${written(value)}`),
    ...(opened ? [`${archive === 'taken' ? 'archive' : 'base64'}: ${opened}`] : []),
  ];
  const input = fields.length > 0 ? `{\n${fields.map((field) => `  ${field},\n`).join('')}}` : '';
  const options = idempotencyKey === undefined ? '' : `, { idempotencyKey: ${written(idempotencyKey)} }`;
  return [
    ...(opened ? ["import { openAsBlob } from 'node:fs';"] : []),
    "import { createClient } from '@chat-web/host';",
    '',
    `const client = createClient({ url: ${written(url)}${hasToken ? ', token: process.env.TOKEN' : ''} });`,
    `const answer = await client.${name}(${input}${options});`,
  ].join('\n');
}

function filledPath(path: string, params: DraftedCall['path']): string {
  return path.replace(/:(\w+)/g, (whole, name: string) => (params[name] ? encodeURIComponent(params[name]) : whole));
}

function nameOf(file: File | undefined): string {
  return file && PLAIN_NAME.test(file.name) ? file.name : 'file';
}

/** A value as JavaScript. */
function written(value: unknown): string {
  if (typeof value !== 'string') return jsonText(value, 0);
  const inside = jsonText(value, 0).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
  return `'${inside}'`;
}
