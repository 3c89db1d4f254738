import { createHash } from 'node:crypto';
import {
  type IDataObject,
  type IExecuteFunctions,
  type IHookFunctions,
  type IHttpRequestMethods,
  type ILoadOptionsFunctions,
  type IN8nHttpFullResponse,
  type IWebhookFunctions,
  type IWorkflowDataProxyData,
  type JsonObject,
  jsonParse,
  NodeApiError,
  NodeOperationError,
} from 'n8n-workflow';

/** Functions of n8n that can send requests. */
export type Context = IExecuteFunctions | IHookFunctions | ILoadOptionsFunctions | IWebhookFunctions;

export interface GatewayRequest {
  readonly method: IHttpRequestMethods;
  /** From `path`. */
  readonly path: string;
  readonly query?: IDataObject;
  readonly body?: IDataObject;
  readonly headers?: IDataObject;
  /** The answer is a file. */
  readonly isFile?: boolean;
  readonly timeoutMs?: number;
  /** Of the item that the request is for. */
  readonly itemIndex?: number;
}

/** An error of the gateway. */
interface GatewayError {
  readonly error: string;
  readonly code: string;
  readonly issues?: readonly { readonly path: string; readonly message: string }[];
  readonly id?: string;
}

/** A send takes up to 120 s. */
const TIMEOUT_MS = 150_000;

/** A path with its parts encoded. */
export function path(parts: TemplateStringsArray, ...values: readonly string[]): string {
  return String.raw({ raw: parts }, ...values.map(encodeURIComponent));
}

/** The URL of a path. Rejects one that leads to another host, which would get the key. */
function urlOf(context: Context, base: string, asked: string): string {
  const { origin, href } = new URL(base);
  const url = /^\/(?![/\\])/.test(asked) ? new URL(`${href.replace(/\/+$/, '')}${asked}`) : undefined;
  if (url?.origin === origin && url.username === '' && url.password === '') return url.href;
  throw new NodeOperationError(context.getNode(), 'The path must begin with a single slash');
}

/** The answer of the gateway. Rejects with its error, whose message begins with the code. */
export async function request(context: Context, asked: GatewayRequest): Promise<IN8nHttpFullResponse> {
  const { url } = await context.getCredentials('chatWebApi');
  const { method, query: qs, body, headers, isFile = false, itemIndex, timeoutMs = TIMEOUT_MS } = asked;
  const response: IN8nHttpFullResponse = await context.helpers.httpRequestWithAuthentication
    .call(context, 'chatWebApi', {
      method,
      url: urlOf(context, String(url), asked.path),
      qs,
      body,
      headers,
      json: !isFile,
      encoding: isFile ? 'arraybuffer' : undefined,
      timeout: timeoutMs,
      returnFullResponse: true,
      ignoreHttpStatusErrors: true,
    })
    .catch((error: JsonObject) => {
      throw new NodeApiError(context.getNode(), error, { message: 'The gateway did not answer', itemIndex });
    });
  if (response.statusCode < 400) return response;
  throw errorOf(context, response, itemIndex);
}

function errorOf(context: Context, { statusCode, body }: IN8nHttpFullResponse, itemIndex: number | undefined) {
  const { code, error, issues = [], id } = parsed(body);
  const fields = issues.map(({ path: field, message }) => `${field} ${message}`).join('; ');
  const about = id === undefined ? fields : `${fields} The message may have been sent: ${id}`.trim();
  const sent = { code, error, issues, id } as unknown as JsonObject;
  return new NodeApiError(context.getNode(), sent, {
    message: `${code}: ${error}`,
    description: about,
    httpCode: String(statusCode),
    itemIndex,
  });
}

function parsed(body: unknown): GatewayError {
  const isError = (value: unknown): value is GatewayError =>
    typeof value === 'object' && value !== null && 'code' in value && 'error' in value;
  const isText = typeof body === 'string' || Buffer.isBuffer(body) || body instanceof ArrayBuffer;
  const value = isText ? jsonParse(Buffer.from(body as string).toString(), { fallbackValue: null }) : body;
  return isError(value) ? value : { code: 'unknown', error: 'the answer is not one of a chat-web gateway' };
}

const TRIGGER = /chatWebTrigger$/;
const TOOL = /Tool$/;

/**
 * The Idempotency-Key of an item: of the event, if one of our triggers has started the workflow, otherwise of the execution.
 * An event that is delivered again, because n8n or the gateway was killed, is then answered once. `run`: which run of the
 * node it is, in a loop. An agent can call a tool several times, and its retries are runs, too: there, the body tells the
 * calls apart.
 */
export function idempotencyKey(context: IExecuteFunctions, itemIndex: number, body: unknown): string {
  const { id: node, type } = context.getNode();
  const run = TOOL.test(type) ? digestOf(body) : context.getWorkflowDataProxy(itemIndex).$runIndex;
  const cause = eventOf(context, itemIndex) ?? context.getExecutionId();
  const parts = [context.getWorkflow().id, node, cause, run, itemIndex];
  return `n8n ${parts.join(' ')}`.replace(/[^ -~]/g, '?').slice(0, 255);
}

function digestOf(body: unknown): string {
  return createHash('sha256').update(JSON.stringify(body)).digest('base64url').slice(0, 22);
}

/** The id of the event that has started the workflow; undefined for another start, and while it is tried in the editor. */
function eventOf(context: IExecuteFunctions, itemIndex: number): string | undefined {
  if (context.getMode() === 'manual') return undefined;
  const { $ } = context.getWorkflowDataProxy(itemIndex);
  const triggers = context.getParentNodes(context.getNode().name).filter(({ type }) => TRIGGER.test(type));
  return triggers.map(({ name }) => idIn($, name)).find((id) => id !== undefined);
}

/** Undefined if another trigger has started the workflow: this one has no data then. */
function idIn($: IWorkflowDataProxyData['$'], trigger: string): string | undefined {
  try {
    const id: unknown = $(trigger).first().json.eventId;
    return typeof id === 'string' ? id : undefined;
  } catch {
    return undefined;
  }
}
