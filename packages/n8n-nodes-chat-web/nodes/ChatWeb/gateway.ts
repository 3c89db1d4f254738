import {
  type IDataObject,
  type IExecuteFunctions,
  type IHookFunctions,
  type IHttpRequestMethods,
  type ILoadOptionsFunctions,
  type IN8nHttpFullResponse,
  type IWebhookFunctions,
  type JsonObject,
  jsonParse,
  NodeApiError,
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

/** The answer of the gateway. Rejects with its error, whose code is the error's `httpCode` text and in its message. */
export async function request(context: Context, asked: GatewayRequest): Promise<IN8nHttpFullResponse> {
  const { url } = await context.getCredentials('chatWebApi');
  const { method, query: qs, body, headers, isFile = false, itemIndex } = asked;
  const response: IN8nHttpFullResponse = await context.helpers.httpRequestWithAuthentication
    .call(context, 'chatWebApi', {
      method,
      url: `${String(url).replace(/\/+$/, '')}${asked.path}`,
      qs,
      body,
      headers,
      json: !isFile,
      encoding: isFile ? 'arraybuffer' : undefined,
      timeout: TIMEOUT_MS,
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

/**
 * The Idempotency-Key of an item: of the event, if one of our triggers has started the workflow, otherwise of the execution.
 * An event that is delivered again, because n8n or the gateway was killed, is then answered once.
 */
export function idempotencyKey(context: IExecuteFunctions, itemIndex: number): string {
  const { id: node, name } = context.getNode();
  const trigger = context.getParentNodes(name).find(({ type, disabled }) => TRIGGER.test(type) && !disabled);
  const event = trigger && eventOf(context, trigger.name, itemIndex);
  const cause = event ?? context.getExecutionId();
  return `n8n ${context.getWorkflow().id} ${node} ${cause} ${itemIndex}`.replace(/[^ -~]/g, '?').slice(0, 255);
}

function eventOf(context: IExecuteFunctions, trigger: string, itemIndex: number): string | undefined {
  try {
    const { $ } = context.getWorkflowDataProxy(itemIndex);
    const id: unknown = $(trigger).first().json.eventId;
    return typeof id === 'string' ? id : undefined;
  } catch {
    return undefined;
  }
}
