import { createClient, type Download, type GatewayAddress, GatewayError } from '@chat-web/host';
import { ARCHIVE_TYPE, answersMedia, type Operation, type OperationName } from '@chat-web/protocol';
import type { DraftedCall } from './draft.ts';
import { rowOf } from './operation-groups.ts';

/** A file in an answer. */
interface AnsweredFile {
  readonly bytes: Blob;
  readonly mimeType: string;
  readonly filename: string | undefined;
}

/** The outcome of a call. */
export interface Answer {
  readonly name: OperationName;
  readonly call: DraftedCall;
  /** Undefined: the gateway did not answer. */
  readonly status: number | undefined;
  readonly durationMs: number;
  readonly requestId: string | undefined;
  /** True if it was replayed for the same Idempotency-Key. */
  readonly isReplayed: boolean;
  /** The body, as JSON. Undefined: there is none, or it is a file. */
  readonly json: unknown;
  readonly file: AnsweredFile | undefined;
  /** Why there is no answer. */
  readonly failure: unknown;
}

type Method = (input: unknown, options: unknown) => Promise<unknown>;

/** Makes a call with the typed client, once, and returns the gateway's answer. Never rejects. */
export async function carryOut(address: GatewayAddress, name: OperationName, call: DraftedCall): Promise<Answer> {
  const row = rowOf(name);
  let response: Response | undefined;
  let json: unknown;
  const observed: typeof fetch = async (...request) => {
    response = await fetch(...request);
    if (isFile(row, response) || response.type === 'opaqueredirect') return response;
    const text = await response.text();
    json = parsed(text);
    const { status, headers } = response;
    return new Response(text === '' ? null : text, { status, headers });
  };
  const client = createClient({ ...address, fetch: observed }, { retries: 0 });
  const startedAt = performance.now();
  let file: AnsweredFile | undefined;
  let failure: unknown;
  try {
    const answer = await (client[name] as Method)(inputOf(row, call), { idempotencyKey: call.idempotencyKey });
    if (response && isFile(row, response)) file = await readFile(answer as Download | null, row, call);
  } catch (error) {
    const isAnswered = error instanceof GatewayError && error.status !== undefined && json !== undefined;
    if (!isAnswered) failure = error;
  }
  const durationMs = performance.now() - startedAt;
  const header = (field: string) => response?.headers.get(field) ?? undefined;
  return {
    ...{ name, call, status: response?.status, durationMs, json, file, failure },
    requestId: header('X-Request-Id'),
    isReplayed: header('Idempotent-Replayed') === 'true',
  };
}

function inputOf({ archive }: Operation, { path, query, body, file }: DraftedCall): Record<string, unknown> {
  return { ...path, ...query, ...body, ...(file ? { [archive === 'taken' ? 'archive' : 'base64']: file } : {}) };
}

function isFile(operation: Operation, { ok }: Response): boolean {
  return ok && (answersMedia(operation) || operation.archive === 'answered');
}

/** The bytes as received: the browser never opens them as a page, whatever type their sender chose. */
async function readFile(
  download: (Pick<Download, 'data'> & Partial<Download>) | null,
  { archive }: Operation,
  { path: { id } }: DraftedCall,
): Promise<AnsweredFile | undefined> {
  if (download === null) return undefined;
  const bytes = await new Response(download.data).blob();
  if (archive) return { bytes, mimeType: ARCHIVE_TYPE, filename: `${id}.tar` };
  return { bytes, mimeType: download.mimeType ?? '', filename: download.filename };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text === '' ? undefined : text; // A proxy may have answered anything.
  }
}
