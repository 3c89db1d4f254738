import {
  answersMedia,
  type ErrorCode,
  errorTable,
  eventData,
  examples,
  isWorkerOperation,
  type Operation,
  type OperationName,
  operations,
  otherRoutes,
  type Scope,
} from '@chat-web/protocol';
import { toJsonSchema } from '@valibot/to-json-schema';
import type * as v from 'valibot';

type Json = Readonly<Record<string, unknown>>;

/** Errors that any operation may answer. */
const ANYWHERE: readonly ErrorCode[] = [
  ...(['invalid_request', 'unauthorized', 'rate_limited', 'forbidden', 'insufficient_scope'] as const),
  'internal_error',
];
/** Errors that any operation may answer that a worker answers. */
const WITH_PAGE: readonly ErrorCode[] = ['page_unsupported', 'insufficient_resources', 'shutting_down'];
/** Errors that any operation with a body may answer. */
const WITH_BODY: readonly ErrorCode[] = ['request_timeout', 'body_too_large', 'unsupported_media_type'];

/** The OpenAPI document of the gateway, derived from the table of operations and what stands beside it. */
export function openApiDocument(version: string, hasToken: boolean): Json {
  const paths: Record<string, Record<string, Json>> = {
    [templateOf(otherRoutes.health.path)]: { get: health() },
    [templateOf(otherRoutes.ready.path)]: { get: readiness() },
    [templateOf(otherRoutes.metrics.path)]: { get: { ...metrics(), ...scoped(otherRoutes.metrics.scope, hasToken) } },
    [templateOf(otherRoutes.events.path)]: { get: { ...eventStream(), ...scoped(otherRoutes.events.scope, hasToken) } },
  };
  for (const [name, operation] of Object.entries(operations) as [OperationName, Operation][]) {
    const path = templateOf(operation.path);
    const described = { ...describe(name, operation), ...scoped(operation.scope, hasToken) };
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: described };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Chat-web gateway',
      version,
      description: 'Linked WhatsApp accounts over REST and Server-Sent Events.',
    },
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', description: SCOPES } },
      schemas: { Error: errorSchema },
    },
    ...(hasToken ? { security: [{ bearer: [] }] } : {}),
  };
}

const SCOPES =
  'CHAT_WEB_TOKEN, or a key. An operation names the scope that a key must have: `read`, `send` (also what read may) or `manage` (also what send may); `operator` is for the token alone.';

/** How far a caller must be allowed to go. OpenAPI 3.1 has names of roles there for schemes of any kind. */
function scoped(scope: Scope, hasToken: boolean): Json {
  return { 'x-scope': scope, ...(hasToken ? { security: [{ bearer: [scope] }] } : {}) };
}

/** A path as OpenAPI writes it. */
function templateOf(path: string): string {
  return path.replace(/:(\w+)/g, '{$1}');
}

const errorSchema: Json = {
  type: 'object',
  required: ['error', 'code'],
  properties: {
    error: { type: 'string', description: 'For people.' },
    code: { type: 'string', enum: Object.keys(errorTable), description: 'For programs.' },
    issues: {
      type: 'array',
      items: {
        type: 'object',
        required: ['path', 'message'],
        properties: { path: { type: 'string' }, message: { type: 'string' } },
      },
    },
  },
};

function describe(name: OperationName, operation: Operation): Json {
  return {
    operationId: name,
    summary: operation.summary,
    parameters: pathParameters(name, operation.params),
    ...(operation.body ? { requestBody: requestBody(name, operation.body) } : {}),
    responses: {
      ...answers(operation),
      ...errorResponses([
        ...ANYWHERE,
        ...(operation.body ? WITH_BODY : []),
        ...(isWorkerOperation(name) ? WITH_PAGE : []),
        ...operation.errors,
      ]),
    },
  };
}

function pathParameters(name: OperationName, params: v.GenericSchema): Json[] {
  const [example] = Object.values(examples[name]);
  const properties = (schemaOf(params, 'input') as { properties?: Record<string, Json> }).properties ?? {};
  return Object.entries(properties).map(([parameter, schema]) => ({
    name: parameter,
    in: 'path',
    required: true,
    schema,
    example: example?.path[parameter],
  }));
}

function requestBody(name: OperationName, body: v.GenericSchema): Json {
  const named = Object.entries(examples[name]).map(([title, { body: value }]) => [title, { value }]);
  return {
    required: true,
    content: { 'application/json': { schema: schemaOf(body, 'input'), examples: Object.fromEntries(named) } },
  };
}

function answers(operation: Operation): Json {
  if (!answersMedia(operation)) {
    const json = { 'application/json': { schema: schemaOf(operation.answer, 'output') } };
    const png = { 'image/png': { schema: { type: 'string', format: 'binary' } } };
    return {
      [operation.status ?? 200]: {
        description: 'OK',
        content: operation === operations.getQr ? { ...json, ...png } : json,
      },
    };
  }
  const bytes = { description: 'The bytes', content: { '*/*': { schema: { type: 'string', format: 'binary' } } } };
  return operation.answer.type === 'nullable' ? { 200: bytes, 204: { description: 'There are none' } } : { 200: bytes };
}

function errorResponses(codes: readonly ErrorCode[]): Json {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of new Set(codes)) {
    const { status } = errorTable[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const described = [...byStatus].map(([status, of]) => [
    status,
    {
      description: of.map((code) => `\`${code}\`: ${errorTable[code].when}`).join('; '),
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
    },
  ]);
  return Object.fromEntries(described);
}

function health(): Json {
  const schema = {
    type: 'object',
    required: ['ok', 'sessions'],
    properties: { ok: { type: 'boolean' }, sessions: { type: 'integer' } },
  };
  return {
    operationId: 'health',
    summary: 'Whether the gateway is up, and how many sessions it knows; asks for no token',
    security: [],
    responses: {
      200: { description: 'OK', content: { 'application/json': { schema } } },
      ...errorResponses(['forbidden']),
    },
  };
}

function readiness(): Json {
  const schema = {
    type: 'object',
    required: ['ready'],
    properties: { ready: { type: 'boolean' }, reason: { type: 'string' } },
  };
  const content = { 'application/json': { schema } };
  return {
    operationId: 'ready',
    summary: 'Whether the gateway takes new work; 503 while it stops. Asks for no token',
    security: [],
    responses: {
      200: { description: 'It does', content },
      503: { description: 'It does not, and why', content },
      ...errorResponses(['forbidden']),
    },
  };
}

function metrics(): Json {
  return {
    operationId: 'metrics',
    summary: 'Metrics of gateway and sessions, for Prometheus',
    responses: {
      200: { description: 'OK', content: { 'text/plain': { schema: { type: 'string' } } } },
      ...errorResponses(ANYWHERE.filter((code) => code !== 'invalid_request')),
    },
  };
}

function eventStream(): Json {
  const events = Object.entries(eventData).map(([event, schema]) => [event, schemaOf(schema, 'output')]);
  return {
    operationId: 'events',
    summary: "The session's events as Server-Sent Events; the data of each is JSON, but for `qr`, which is a string",
    parameters: [
      { name: 'id', in: 'path', required: true, schema: { type: 'string', pattern: '^[A-Za-z0-9_-]{1,64}$' } },
    ],
    responses: {
      200: {
        description: 'A stream that ends when the session is deleted or the gateway stops',
        content: { 'text/event-stream': { schema: { type: 'string' }, 'x-events': Object.fromEntries(events) } },
      },
      ...errorResponses([...ANYWHERE, 'session_not_found', 'too_many_streams']),
    },
  };
}

function schemaOf(schema: v.GenericSchema, typeMode: 'input' | 'output'): Json {
  const { $schema, ...rest } = toJsonSchema(schema, {
    typeMode,
    errorMode: 'ignore',
    // An upload is a file by the time that its schema sees it; a caller writes base64.
    overrideSchema: ({ valibotSchema, jsonSchema }) =>
      valibotSchema.type === 'custom' ? { type: 'string', contentEncoding: 'base64' } : jsonSchema,
  });
  return rest;
}
