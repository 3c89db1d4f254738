import {
  ARCHIVE_TYPE,
  AUTHORS,
  answersMedia,
  bodyFields,
  CHAT_KINDS,
  type ErrorCode,
  EVENT_NAMES,
  errorsOf,
  errorTable,
  eventData,
  OPT_IN_EVENTS,
  type Operation,
  type OperationName,
  type OtherRouteName,
  operationGroups,
  operations,
  otherRoutes,
  type Scope,
  SHARED_ERRORS,
  takesUpload,
} from '@chat-web/protocol';
import type * as v from 'valibot';
import { FORM_FILE, FORM_TYPE } from '../media/form-body.ts';
import { type Json, schemaOf } from './json-schema.ts';

/** The gateway's OpenAPI document, derived from the tables of operations and other routes. */
export function openApiDocument(version: string, hasToken: boolean): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const [name, described] of Object.entries(describedRoutes())) {
    const { path, summary, scope } = otherRoutes[name as OtherRouteName];
    const access = scope === 'anyone' ? { security: [] } : scoped(scope, hasToken);
    paths[templateOf(path)] = { get: { operationId: name, summary, ...described, ...access } };
  }
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
    tags: Object.keys(operationGroups).map((name) => ({ name })),
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

const errorSchema = objectOf(
  {
    error: { type: 'string', description: 'A sentence for people' },
    code: { type: 'string', enum: Object.keys(errorTable), description: 'A stable code for programs' },
  },
  {
    issues: { type: 'array', items: objectOf({ path: { type: 'string' }, message: { type: 'string' } }) },
    id: {
      type: 'string',
      description:
        'The message that may have been sent: a later `message_ack` has this id, or contains it after the chat',
    },
  },
);

function describe(name: OperationName, operation: Operation): Json {
  return {
    operationId: name,
    tags: [groupOf(name)],
    summary: operation.summary,
    parameters: [
      ...parameters(operation, 'path', operation.params),
      ...(operation.query ? parameters(operation, 'query', operation.query) : []),
      ...(operation.keyed ? [keyParameter] : []),
      ...(operation.archive === 'taken' ? [digestHeader] : []),
      ...(answersMedia(operation) ? [rangeHeader] : []),
    ],
    ...requestBody(operation),
    responses: { ...answers(operation), ...errorResponses(errorsOf(name, operation)) },
  };
}

function groupOf(name: OperationName): string {
  const found = Object.entries(operationGroups).find(([, group]) => Object.hasOwn(group, name));
  if (!found) throw new Error(`${name} is in no group of operations`);
  return found[0];
}

function parameters({ examples }: Operation, place: 'path' | 'query', params: v.GenericSchema): Json[] {
  const [example] = Object.values(examples);
  const { properties = {}, required = [] } = schemaOf(params, 'input') as {
    readonly properties?: Record<string, Json>;
    readonly required?: readonly string[];
  };
  return Object.entries(properties).map(([parameter, schema]) => ({
    name: parameter,
    in: place,
    required: required.includes(parameter),
    schema,
    example: example?.[parameter],
  }));
}

const keyParameter: Json = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[ -~]+$' },
  description:
    'Repeat the request with the same key until it gets a response: it is carried out once, even across crashes. Keys are kept for 24 hours, per session and caller. A replayed response has `Idempotent-Replayed: true`.',
  example: '6f9c1f0e-0c1b-4f3e-9a55-2a6f3b7f8f21',
};

const archiveContent: Json = { [ARCHIVE_TYPE]: { schema: { type: 'string', format: 'binary' } } };
const archiveBody: Json = { required: true, description: 'The archive from an export', content: archiveContent };
const DIGEST = { schema: { type: 'string' }, example: 'sha-256=:n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=:' };
const digestHeader: Json = {
  name: 'Content-Digest',
  in: 'header',
  required: false,
  ...DIGEST,
  description: 'As returned by the export (RFC 9530); the gateway verifies it',
};

const rangeHeader: Json = {
  name: 'Range',
  in: 'header',
  required: false,
  schema: { type: 'string' },
  description: 'One range of bytes, such as `bytes=0-1023`: only this part is returned, with 206',
};

const formContent: Json = {
  schema: {
    type: 'object',
    properties: { [FORM_FILE]: { type: 'string', format: 'binary' } },
    additionalProperties: { type: 'string' },
    description: 'The fields of the JSON body, with a file if it needs one. What is not a string is written as JSON',
  },
};

function requestBody(operation: Operation): Json {
  if (operation.archive === 'taken') return { requestBody: archiveBody };
  const body = operation.body ?? operation.optionalBody;
  if (!body) return {};
  const named = Object.entries(operation.examples).map(([title, example]) => [
    title,
    { value: bodyFields(operation, example) },
  ]);
  const json = { schema: schemaOf(body, 'input'), examples: Object.fromEntries(named) };
  const content = { 'application/json': json, ...(takesUpload(body) ? { [FORM_TYPE]: formContent } : {}) };
  return { requestBody: { required: body === operation.body, content } };
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
  const none = operation.answer.type === 'nullable' ? { 204: { description: 'No content' } } : {};
  const unchanged = operation.describes ? { 304: { description: 'The caller has it, by its `If-None-Match`' } } : {};
  return { 200: bytes, ...none, 206: { ...bytes, description: 'The bytes of the range' }, ...unchanged };
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

/** What the reference says of the other routes, apart from those of static files and of this document. */
function describedRoutes(): Partial<Record<OtherRouteName, Json>> {
  const health = objectOf({ ok: { type: 'boolean' }, sessions: { type: 'integer' } });
  const readiness = objectOf(
    { ready: { type: 'boolean' } },
    { reason: { type: 'string' }, damaged: { type: 'array', items: { type: 'string' } } },
  );
  const ready = { 'application/json': { schema: readiness } };
  return {
    health: {
      tags: ['Host'],
      responses: {
        200: { description: 'OK', content: { 'application/json': { schema: health } } },
        ...errorResponses(['forbidden']),
      },
    },
    ready: {
      tags: ['Host'],
      responses: {
        200: { description: 'Ready', content: ready },
        503: { description: 'Not ready, with the reason', content: ready },
        ...errorResponses(['forbidden']),
      },
    },
    metrics: {
      tags: ['Host'],
      responses: {
        200: { description: 'OK', content: { 'text/plain': { schema: { type: 'string' } } } },
        ...errorResponses(SHARED_ERRORS.all.filter((code) => code !== 'invalid_request')),
      },
    },
    events: sessionEvents(),
    allEvents: allEvents(),
  };
}

function objectOf(required: Record<string, Json>, optional: Record<string, Json> = {}): Json {
  return { type: 'object', required: Object.keys(required), properties: { ...required, ...optional } };
}

const LAST_EVENT_ID: Json = {
  name: 'Last-Event-ID',
  in: 'header',
  schema: { type: 'string' },
  example: '5f2b9c0d11aa-4711',
  description: 'The id of the last event that was processed: all later ones follow. Takes precedence over `after`',
};

/** Parameters of both routes, by name. */
const EVENT_QUERY: readonly Json[] = [
  {
    name: 'after',
    schema: { type: 'string' },
    example: 'oldest',
    description: 'An event id, `oldest`, or a time in ISO 8601: the stream begins with the first later event',
  },
  {
    name: 'events',
    description: `Names of events. Absent: all but ${OPT_IN_EVENTS.join(', ')}`,
    explode: false,
    schema: { type: 'array', items: { type: 'string', enum: EVENT_NAMES } },
  },
  {
    name: 'chats',
    description: 'Kinds of chats. Absent: all. Events without a chat are not affected',
    explode: false,
    schema: { type: 'array', items: { type: 'string', enum: CHAT_KINDS } },
  },
  {
    name: 'from',
    description: 'Only what the account itself did, or only what others did. Events without a chat are not affected',
    schema: { type: 'string', enum: AUTHORS },
  },
  {
    name: 'limit',
    description: 'With JSON: the maximum number of events in a page',
    schema: { type: 'integer', minimum: 1, maximum: 1_000, default: 100 },
  },
  {
    name: 'wait',
    description: 'With JSON: how many seconds to wait for an event if there is none',
    schema: { type: 'integer', minimum: 0, maximum: 60, default: 0 },
  },
].map((parameter) => ({ ...parameter, in: 'query' }));

function sessionEvents(): Json {
  return {
    tags: ['Events'],
    parameters: [{ name: 'id', in: 'path', required: true, schema: SESSION_ID }, LAST_EVENT_ID, ...EVENT_QUERY],
    responses: {
      200: {
        description: 'A stream that ends when the session is deleted or the gateway stops, or a page',
        content: eventContent(eventSchemas()),
      },
      ...errorResponses([...SHARED_ERRORS.all, 'session_not_found', 'too_many_streams']),
    },
  };
}

function allEvents(): Json {
  const sessions = { type: 'array', items: SESSION_ID };
  const envelope = (data: Json) =>
    objectOf(
      { at: { type: 'string', format: 'date-time' }, data },
      { session: { type: 'string' }, metadata: METADATA },
    );
  const events = Object.entries(eventSchemas()).map(([event, schema]) => [event, envelope(schema)]);
  return {
    tags: ['Events'],
    parameters: [
      LAST_EVENT_ID,
      ...EVENT_QUERY,
      { name: 'sessions', in: 'query', description: 'Ids of sessions', explode: false, schema: sessions },
      {
        name: 'ticket',
        in: 'query',
        description: 'From `createEventTicket`, instead of a token, and of what chooses sessions and events',
        schema: { type: 'string' },
      },
    ],
    responses: {
      200: {
        description: 'A stream that ends when the gateway stops, or a page',
        content: eventContent(Object.fromEntries(events)),
      },
      ...errorResponses([...SHARED_ERRORS.all, 'too_many_streams']),
    },
  };
}

const METADATA: Json = { type: 'object', additionalProperties: { type: 'string' } };
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

const listedEvent = objectOf(
  {
    event: { type: 'string', enum: EVENT_NAMES },
    at: { type: 'string', format: 'date-time' },
    data: {},
  },
  { id: { type: 'string' }, session: { type: 'string' }, metadata: METADATA },
);
const eventPage = objectOf({
  events: { type: 'array', items: listedEvent },
  next: { type: 'string', description: '`after` of the next page' },
});
