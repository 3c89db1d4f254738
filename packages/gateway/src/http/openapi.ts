import {
  ARCHIVE_TYPE,
  answersMedia,
  type ErrorCode,
  errorTable,
  eventData,
  examples,
  isWorkerOperation,
  OPT_IN_EVENTS,
  type Operation,
  type OperationName,
  operationGroups,
  operations,
  otherRoutes,
  type Scope,
} from '@chat-web/protocol';
import { toJsonSchema } from '@valibot/to-json-schema';
import type * as v from 'valibot';

type Json = Readonly<Record<string, unknown>>;

/** Errors of every operation. */
const ANYWHERE: readonly ErrorCode[] = [
  ...(['invalid_request', 'unauthorized', 'rate_limited', 'forbidden', 'insufficient_scope'] as const),
  'internal_error',
];
/** Errors of every operation that needs a worker. */
const WITH_PAGE: readonly ErrorCode[] = ['page_unsupported', 'insufficient_resources', 'shutting_down'];
/** Errors of every operation with a body. */
const WITH_BODY: readonly ErrorCode[] = ['request_timeout', 'body_too_large', 'unsupported_media_type'];

/** Errors of every operation that takes an Idempotency-Key. */
const WITH_KEY: readonly ErrorCode[] = ['idempotency_in_progress', 'idempotency_key_reused'];

/** The gateway's OpenAPI document, derived from the tables of operations and other routes. */
export function openApiDocument(version: string, hasToken: boolean): Json {
  const paths: Record<string, Record<string, Json>> = {
    [templateOf(otherRoutes.health.path)]: { get: health() },
    [templateOf(otherRoutes.ready.path)]: { get: readiness() },
    [templateOf(otherRoutes.metrics.path)]: { get: { ...metrics(), ...scoped(otherRoutes.metrics.scope, hasToken) } },
    [templateOf(otherRoutes.events.path)]: {
      get: { ...sessionEvents(), ...scoped(otherRoutes.events.scope, hasToken) },
    },
    [templateOf(otherRoutes.allEvents.path)]: {
      get: { ...allEvents(), ...scoped(otherRoutes.allEvents.scope, hasToken) },
    },
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
    tags: [...Object.keys(operationGroups), 'Events'].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', description: SCOPES } },
      schemas: { Error: errorSchema },
    },
    ...(hasToken ? { security: [{ bearer: [] }] } : {}),
  };
}

const SCOPES =
  'CHAT_WEB_TOKEN, or a key. Each operation names the scope that a key needs: `read`, `send` (includes read) or `manage` (includes send); `operator` requires the token.';

/** The required scope. OpenAPI 3.1 allows role names in `security` for any type of scheme. */
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
    error: { type: 'string', description: 'A sentence for people' },
    code: { type: 'string', enum: Object.keys(errorTable), description: 'A stable code for programs' },
    issues: {
      type: 'array',
      items: {
        type: 'object',
        required: ['path', 'message'],
        properties: { path: { type: 'string' }, message: { type: 'string' } },
      },
    },
    id: {
      type: 'string',
      description:
        'The message that may have been sent: a later `message_ack` has this id, or contains it after the chat',
    },
  },
};

function describe(name: OperationName, operation: Operation): Json {
  return {
    operationId: name,
    tags: [groupOf(name)],
    summary: operation.summary,
    parameters: [
      ...parameters(name, 'path', operation.params),
      ...(operation.query ? parameters(name, 'query', operation.query) : []),
      ...(operation.keyed ? [keyParameter] : []),
      ...(operation.archive === 'taken' ? [digestHeader] : []),
    ],
    ...(operation.body ? { requestBody: requestBody(name, operation.body) } : {}),
    ...(operation.optionalBody
      ? { requestBody: { ...requestBody(name, operation.optionalBody), required: false } }
      : {}),
    ...(operation.archive === 'taken' ? { requestBody: archiveBody } : {}),
    responses: {
      ...answers(operation),
      ...errorResponses([
        ...ANYWHERE,
        ...(operation.body || operation.optionalBody || operation.archive === 'taken' ? WITH_BODY : []),
        ...(isWorkerOperation(name) ? WITH_PAGE : []),
        ...(operation.keyed ? WITH_KEY : []),
        ...operation.errors,
      ]),
    },
  };
}

function groupOf(name: OperationName): string {
  const found = Object.entries(operationGroups).find(([, group]) => Object.hasOwn(group, name));
  if (!found) throw new Error(`${name} is in no group of operations`);
  return found[0];
}

function parameters(name: OperationName, place: 'path' | 'query', params: v.GenericSchema): Json[] {
  const [example] = Object.values(examples[name]);
  const { properties = {}, required = [] } = schemaOf(params, 'input') as {
    readonly properties?: Record<string, Json>;
    readonly required?: readonly string[];
  };
  return Object.entries(properties).map(([parameter, schema]) => ({
    name: parameter,
    in: place,
    required: required.includes(parameter),
    schema,
    example: example?.[place]?.[parameter],
  }));
}

const keyParameter: Json = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[ -~]+$' },
  description:
    'Repeat the request with the same key until it is answered: it is carried out once, even across crashes. Keys are kept for 24 hours, per session and caller. A replayed answer has `Idempotent-Replayed: true`.',
  example: '6f9c1f0e-0c1b-4f3e-9a55-2a6f3b7f8f21',
};

const archiveContent: Json = { [ARCHIVE_TYPE]: { schema: { type: 'string', format: 'binary' } } };
const archiveBody: Json = { required: true, description: 'The archive from an export', content: archiveContent };
const DIGEST = { schema: { type: 'string' }, example: 'sha-256=:n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=:' };
const digestHeader: Json = {
  ...{ name: 'Content-Digest', in: 'header', required: false, ...DIGEST },
  description: 'As returned by the export (RFC 9530); the gateway verifies it',
};

function requestBody(name: OperationName, body: v.GenericSchema): Json {
  const named = Object.entries(examples[name]).map(([title, { body: value }]) => [title, { value }]);
  return {
    required: true,
    content: { 'application/json': { schema: schemaOf(body, 'input'), examples: Object.fromEntries(named) } },
  };
}

function answers(operation: Operation): Json {
  if (operation.archive === 'answered') {
    const headers = { 'Content-Digest': { description: 'SHA-256 of the archive (RFC 9530)', ...DIGEST } };
    return { 200: { description: 'The archive', headers, content: archiveContent } };
  }
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
  return operation.answer.type === 'nullable' ? { 200: bytes, 204: { description: 'No content' } } : { 200: bytes };
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
    tags: ['Host'],
    summary: 'Whether the gateway is up, and its number of sessions; no token required',
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
    tags: ['Host'],
    summary: 'Whether the gateway is ready; 503 if not. No token required',
    security: [],
    responses: {
      200: { description: 'Ready', content },
      503: { description: 'Not ready, with the reason', content },
      ...errorResponses(['forbidden']),
    },
  };
}

function metrics(): Json {
  return {
    operationId: 'metrics',
    tags: ['Host'],
    summary: 'Prometheus metrics of the gateway and its sessions',
    responses: {
      200: { description: 'OK', content: { 'text/plain': { schema: { type: 'string' } } } },
      ...errorResponses(ANYWHERE.filter((code) => code !== 'invalid_request')),
    },
  };
}

const LAST_EVENT_ID: Json = {
  ...{ name: 'Last-Event-ID', in: 'header', schema: { type: 'string' }, example: '5f2b9c0d11aa-4711' },
  description: 'The id of the last event that was processed: all later ones follow. Takes precedence over `after`',
};

/** Parameters of both routes, by name. */
const EVENT_QUERY: readonly Json[] = [
  {
    ...{ name: 'after', schema: { type: 'string' }, example: 'oldest' },
    description: 'An event id, `oldest`, or a time in ISO 8601: the stream begins with the first later event',
  },
  {
    ...{ name: 'events', description: `Names of events. Absent: all but ${OPT_IN_EVENTS.join(', ')}`, explode: false },
    schema: { type: 'array', items: { type: 'string', enum: Object.keys(eventData) } },
  },
  {
    ...{ name: 'limit', description: 'With JSON: the maximum number of events in a page' },
    schema: { type: 'integer', minimum: 1, maximum: 1_000, default: 100 },
  },
  {
    ...{ name: 'wait', description: 'With JSON: how many seconds to wait for an event if there is none' },
    schema: { type: 'integer', minimum: 0, maximum: 60, default: 0 },
  },
].map((parameter) => ({ ...parameter, in: 'query' }));

function sessionEvents(): Json {
  return {
    operationId: 'events',
    tags: ['Events'],
    summary:
      "The session's events, as Server-Sent Events or as pages of JSON; `data` is JSON, except for `qr`, a plain string",
    parameters: [{ name: 'id', in: 'path', required: true, schema: SESSION_ID }, LAST_EVENT_ID, ...EVENT_QUERY],
    responses: {
      200: {
        description: 'A stream that ends when the session is deleted or the gateway stops, or a page',
        content: eventContent(eventSchemas()),
      },
      ...errorResponses([...ANYWHERE, 'session_not_found', 'too_many_streams']),
    },
  };
}

function allEvents(): Json {
  const sessions = { type: 'array', items: SESSION_ID };
  const envelope = (data: Json) => ({
    type: 'object',
    required: ['at', 'data'],
    properties: { session: { type: 'string' }, at: { type: 'string', format: 'date-time' }, data },
  });
  const events = Object.entries(eventSchemas()).map(([event, schema]) => [event, envelope(schema)]);
  return {
    operationId: 'allEvents',
    tags: ['Events'],
    summary: 'The events of all sessions that the caller may see, as Server-Sent Events or as pages of JSON',
    parameters: [
      LAST_EVENT_ID,
      ...EVENT_QUERY,
      { name: 'sessions', in: 'query', description: 'Ids of sessions', explode: false, schema: sessions },
    ],
    responses: {
      200: {
        description: 'A stream that ends when the gateway stops, or a page',
        content: eventContent(Object.fromEntries(events)),
      },
      ...errorResponses([...ANYWHERE, 'too_many_streams']),
    },
  };
}

const SESSION_ID: Json = { type: 'string', pattern: '^[A-Za-z0-9_-]{1,64}$' };

function eventSchemas(): Record<string, Json> {
  return Object.fromEntries(Object.entries(eventData).map(([event, schema]) => [event, schemaOf(schema, 'output')]));
}

function eventContent(events: Record<string, Json>): Json {
  return {
    'text/event-stream': { schema: { type: 'string' }, 'x-events': events },
    'application/json': { schema: eventPage },
  };
}

const eventPage: Json = {
  type: 'object',
  required: ['events', 'next'],
  properties: {
    events: {
      type: 'array',
      items: {
        type: 'object',
        required: ['event', 'at', 'data'],
        properties: {
          id: { type: 'string' },
          event: { type: 'string', enum: Object.keys(eventData) },
          session: { type: 'string' },
          at: { type: 'string', format: 'date-time' },
          data: {},
        },
      },
    },
    next: { type: 'string', description: '`after` of the next page' },
  },
};

function schemaOf(schema: v.GenericSchema, typeMode: 'input' | 'output'): Json {
  const { $schema, ...rest } = toJsonSchema(schema, {
    typeMode,
    errorMode: 'ignore',
    overrideSchema: ({ valibotSchema, jsonSchema }) => {
      // The schema validates an upload as a file; the caller sends base64.
      if (valibotSchema.type === 'custom') return { type: 'string', contentEncoding: 'base64' };
      // In a query, a number or a flag arrives as its text.
      const [first] = jsonSchema.anyOf ?? [];
      const isWritten = typeof first === 'object' && ['integer', 'boolean'].includes(String(first.type));
      return isWritten ? first : jsonSchema;
    },
  });
  return rest;
}
