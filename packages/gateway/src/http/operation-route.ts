import { Readable } from 'node:stream';
import {
  ARCHIVE_TYPE,
  answersMedia,
  asGatewayError,
  type Contact,
  errorTable,
  errorText,
  GatewayError,
  isWorkerOperation,
  type MediaFile,
  type Operation,
  type SendAttempt,
  type SessionArchive,
  type TakenArchive,
} from '@chat-web/protocol';
import type { Context } from 'hono';
import * as v from 'valibot';
import type { Caller } from '../access/caller.ts';
import { requireRecipients } from '../access/recipients.ts';
import { type Log, withoutNumbers } from '../log.ts';
import type { Metrics } from '../monitoring/metrics.ts';
import { digestsIn } from '../moving/digest-field.ts';
import type { Idempotency } from '../sends/idempotency.ts';
import type { Admission } from './admission.ts';
import { jsonAnswer } from './json-answer.ts';
import { entityTag, mediaResponse } from './media-response.ts';
import { isUnchanged } from './partial-content.ts';
import {
  bodyEncoding,
  type InputDependencies,
  keyedRequest,
  keyHashOf,
  parseParams,
  parseQuery,
  requireMediaType,
  withBody,
} from './request-input.ts';
import { closeOnAbort, onResponseClose, requestIdOf } from './server/guarded-response.ts';
import { limitedBody } from './server/limited-body.ts';
import type { Route, ServerEnv } from './server-env.ts';

export type AnyHandler = (input: Record<string, unknown>, caller: Caller, attempt?: SendAttempt) => unknown;

export interface RouteDependencies extends InputDependencies {
  readonly metrics: Pick<Metrics, 'answered'>;
  readonly admission: Admission;
  readonly idempotency: Idempotency;
  readonly importMaxBytes: number;
  /** The handler of `getContact`. */
  readonly getContact: AnyHandler;
  readonly log: Log;
}

const NO_QUERY = v.strictObject({});

/** The route of one operation: parses the input, answers, logs one line and counts the request. */
export function operationRoute(
  name: string,
  operation: Operation,
  handler: AnyHandler,
  dependencies: RouteDependencies,
): Route {
  const { admission, idempotency, log, metrics, spool } = dependencies;
  const level = operation.method === 'GET' ? 'debug' : 'info';
  const isForwarded = isWorkerOperation(name);
  const takesArchive = operation.archive === 'taken';
  const sendsFile = operation.archive === 'answered' || answersMedia(operation);

  async function runHandler(input: Record<string, unknown>, caller: Caller, attempt?: SendAttempt): Promise<unknown> {
    // Files fetched by a worker use the spool, too.
    if (answersMedia(operation) || input.url !== undefined) await spool.requireRoom(String(input.id), caller.keyId);
    return handler(input, caller, attempt);
  }

  /** Only describes media, if the caller needs no more: their bytes would have to be downloaded by the page. */
  async function runFor(c: Context<ServerEnv>, input: Record<string, unknown>): Promise<unknown> {
    const caller = c.get('caller');
    const ifNoneMatch = c.req.header('If-None-Match');
    const isHead = c.req.method === 'HEAD';
    if (operation.describes && (isHead || ifNoneMatch !== undefined)) {
      const described = (await runHandler({ ...input, describe: true }, caller)) as MediaFile | null;
      // A handler that cannot describe them has loaded them.
      if (isHead || described?.file !== undefined || isUnchanged(ifNoneMatch, entityTag(described))) return described;
    }
    return runHandler(input, caller);
  }

  /** The answer, which may be an earlier one to the same request with the same key. */
  async function answerKeyed(c: Context<ServerEnv>, input: Record<string, unknown>, keyHash: string): Promise<unknown> {
    const caller = c.get('caller');
    const { answer, isReplayed } = await idempotency.run(keyedRequest(name, operation, keyHash, caller, input), {
      refusal: () => dependencies.refusalOf?.(String(input.id)),
      execute: (attempt) => runHandler(input, caller, attempt),
    });
    if (isReplayed) c.header('Idempotent-Replayed', 'true');
    return answer;
  }

  async function respond(
    c: Context<ServerEnv>,
    input: Record<string, unknown>,
    keyHash: string | undefined,
    startedAt: number,
  ): Promise<Response> {
    const fields = { operation: name, session: input.id, request: requestIdOf(c.env.outgoing) };
    const caller = c.get('caller');
    const { signal } = caller;
    const ms = () => Math.round(performance.now() - startedAt);
    try {
      signal.throwIfAborted(); // The body may have been open for long.
      // What may have been sent before was allowed then.
      if (caller.recipients && !isKnown(keyHash, input))
        await requireRecipients(caller, operation, input, (contactId) => personOf(String(input.id), contactId, caller));
      const answer = keyHash === undefined ? await runFor(c, input) : await answerKeyed(c, input, keyHash);
      if (sendsFile) closeOnAbort(c.env.outgoing, signal);
      // The outcome of a change is reported, but nothing is read any more.
      else if (operation.method === 'GET') signal.throwIfAborted();
      log[level]({ ...fields, ms: ms() }, 'request answered');
      if (operation.status === 201) c.header('Location', `${c.req.path}/${(answer as { readonly id: string }).id}`);
      if (operation.archive === 'answered') return archiveResponse(c, String(input.id), answer as SessionArchive);
      if (!answersMedia(operation)) return jsonAnswer(c, answer, operation.status ?? 200);
      return answer ? await mediaResponse(c, String(input.id), answer as MediaFile, spool) : c.body(null, 204);
    } catch (error) {
      const { code, message } = asGatewayError(error, 'internal_error');
      const severity = errorTable[code].status >= 500 ? 'warn' : level;
      log[severity]({ ...fields, ms: ms(), code, error: withoutNumbers(message) }, 'request refused');
      throw error;
    }
  }

  async function personOf(id: string, contactId: string, caller: Caller): Promise<Contact | undefined> {
    try {
      return (await dependencies.getContact({ id, contactId }, caller)) as Contact;
    } catch (error) {
      if (error instanceof GatewayError && error.code === 'contact_not_found') return undefined;
      throw error;
    }
  }

  function isKnown(hash: string | undefined, { id }: Readonly<Record<string, unknown>>): boolean {
    return hash !== undefined && idempotency.knows({ session: String(id), hash });
  }

  /** If a request may have been carried out before, its body is read, even if a new request would be refused. */
  function inputDependencies(
    keyHash: string | undefined,
    params: Readonly<Record<string, unknown>>,
  ): InputDependencies {
    return isKnown(keyHash, params) ? { ...dependencies, refusalOf: undefined } : dependencies;
  }

  return async (c) => {
    const startedAt = performance.now();
    const count = (status: number) => metrics.answered(name, status, performance.now() - startedAt);
    let leave: (() => void) | undefined;
    try {
      // Not counted for operations without a worker: an overloaded session can still be inspected, stopped and
      // restarted.
      const session = isForwarded ? c.req.param('id') : undefined;
      leave = admission.enter(session, c.get('caller').keyId);
      // Before a body of any size is read.
      const params = {
        ...parseParams(c.req.param(), operation.params),
        ...parseQuery(c, operation.query ?? NO_QUERY),
      };
      const keyHash = keyHashOf(c, operation);
      const schema = operation.body ?? operation.optionalBody;
      const isOptional = operation.optionalBody !== undefined;
      const response = schema
        ? await withBody(c, { schema, isOptional }, inputDependencies(keyHash, params), (body) =>
            respond(c, { ...params, ...body }, keyHash, startedAt),
          )
        : await respond(c, { ...params, ...(takesArchive ? takenArchive(c, dependencies) : {}) }, keyHash, startedAt);
      count(response.status);
      return response;
    } catch (error) {
      count(errorTable[asGatewayError(error, 'internal_error').code].status);
      throw error instanceof Error ? error : new Error(errorText(error)); // Hono handles only Errors.
    } finally {
      if (leave) onResponseClose(c.env.outgoing, leave);
    }
  };
}

/** Without an encoding, the content is the representation. */
const DIGEST_FIELDS = ['Content-Digest', 'Repr-Digest'];

/** The archive in a request's body, unread. Throws `unsupported_media_type`, or `invalid_request` for a digest. */
function takenArchive(c: Context<ServerEnv>, { importMaxBytes }: { readonly importMaxBytes: number }): TakenArchive {
  requireMediaType(c, ARCHIVE_TYPE, `send the archive with Content-Type: ${ARCHIVE_TYPE}`);
  if (bodyEncoding(c)) throw new GatewayError('unsupported_media_type', 'send the archive without Content-Encoding');
  const archive = limitedBody(c.env.incoming, { maxBytes: importMaxBytes, signal: c.get('caller').signal });
  return { archive, digests: DIGEST_FIELDS.flatMap((name) => digestsIn(name, c.req.header(name))) };
}

/**
 * Streams an archive to the caller. Its digest is a header, since few clients can read trailers; its length shows
 * whether it was cut off.
 */
export function archiveResponse(c: Context<ServerEnv>, id: string, archive: SessionArchive): Response {
  const headers = {
    'Content-Type': ARCHIVE_TYPE,
    'Content-Length': String(archive.size),
    'Content-Digest': archive.contentDigest,
    'Content-Disposition': `attachment; filename="${id}.tar"`,
  };
  return c.body(Readable.toWeb(Readable.from(archive.bytes, { objectMode: false })) as ReadableStream, 200, headers);
}
