import { changesSomething, type Operation, operations, type Scope, type Tool } from '@chat-web/protocol';
import type { Tool as AgentsTool } from '@modelcontextprotocol/server';
import * as v from 'valibot';
import { type Json, schemaOf } from '../http/json-schema.ts';

/** A tool as an agent sees it, and the operation that it calls. */
export interface AgentTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: ObjectSchema;
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
    readonly openWorldHint: true;
  };
  readonly operation: Operation;
  readonly scope: Scope;
  /** The input of the operation. */
  inputOf(given: Json): Record<string, unknown>;
}

type Property = NonNullable<AgentsTool['inputSchema']['properties']>[string];
interface ObjectSchema {
  readonly [keyword: string]: unknown;
  readonly type: 'object';
  readonly properties: Record<string, Property>;
  readonly required: string[];
}

/** What a tool calls the id of a session. */
const [ID, SESSION] = ['id', 'session'];
/** The field with which a tool names its call: the same one twice is carried out once. */
export const REQUEST_ID = 'requestId';
export const REQUEST_ID_FORM = '1 to 200 printable ASCII characters';
export const requestIdText = v.pipe(
  v.string(),
  v.regex(/^[ -~]{1,200}$/),
  v.description(
    'A new id for each message, such as a UUID. If the outcome of a call is unknown, call again with the same id and the same arguments: the message is sent once.',
  ),
);

/** The tools of agents, from the column of the table of operations, by their names. */
export function agentTools(): Map<string, AgentTool> {
  const tools = Object.values<Operation>(operations).flatMap((operation) =>
    Object.entries(operation.tools ?? {}).map(([name, tool]) => toolOf(name, tool, operation)),
  );
  return new Map(tools.map((tool) => [tool.name, tool]));
}

function toolOf(name: string, tool: Tool, operation: Operation): AgentTool {
  const { description, fields, fixed, defaults, isDestructive = false } = tool;
  const input = objectSchemaOf(operation, tool);
  const isTaken = (field: string) =>
    field === ID || (!fields && !Object.hasOwn(fixed ?? {}, field)) || fields?.includes(field);
  const taken = Object.entries(input.properties).filter(([field]) => isTaken(field));
  const missing = fields?.filter((field) => !Object.hasOwn(input.properties, field)) ?? [];
  if (missing.length > 0) throw new Error(`tool ${name} has unknown fields: ${missing.join(', ')}`);
  const withDefault = (field: string, schema: Property) =>
    defaults && Object.hasOwn(defaults, field)
      ? { ...(schema as object), default: defaults[field] as Property }
      : schema;
  const isRead = !changesSomething(operation);
  return {
    name,
    description: description ?? `${operation.summary}.`,
    inputSchema: {
      type: 'object',
      properties: {
        ...Object.fromEntries(taken.map(([field, schema]) => [nameOf(field), withDefault(field, schema)])),
        ...(operation.keyed ? { [REQUEST_ID]: schemaOf(requestIdText, 'input') as Property } : {}),
      },
      required: [...input.required.filter(isTaken).map(nameOf), ...(operation.keyed ? [REQUEST_ID] : [])],
      additionalProperties: false,
    },
    annotations: {
      readOnlyHint: isRead,
      destructiveHint: isDestructive,
      idempotentHint: isRead || operation.keyed !== undefined || operation.method === 'PUT',
      openWorldHint: true,
    },
    operation,
    scope: operation.scope,
    inputOf: ({ [SESSION]: id, [REQUEST_ID]: _, ...given }) => ({ ...defaults, ...given, id, ...fixed }),
  };
}

/** All fields of an operation's input: of a body that has several forms, the first one that has those of the tool. */
function objectSchemaOf({ params, query, body, optionalBody }: Operation, tool: Tool): ObjectSchema {
  const properties: Record<string, Property> = {};
  const required: string[] = [];
  for (const schema of [params, query, body ?? optionalBody]) {
    const form = schema && formOf(schema, tool);
    Object.assign(properties, form?.properties);
    required.push(...(form?.required ?? []));
  }
  return { type: 'object', properties, required };
}

interface Form {
  readonly properties?: Record<string, Property>;
  readonly required?: readonly string[];
}

function formOf(schema: v.GenericSchema, { fields = [], fixed = {} }: Tool): Form {
  const input = schemaOf(schema, 'input') as Form & {
    readonly anyOf?: readonly Form[];
    readonly oneOf?: readonly Form[];
  };
  const forms = input.anyOf ?? input.oneOf;
  if (!forms) return input;
  const fits = ({ properties = {} }: Form) =>
    fields.every((field) => Object.hasOwn(properties, field)) &&
    Object.entries(fixed).every(([name, value]) => {
      const { const: only, enum: some = [only] } = (properties[name] ?? {}) as { const?: unknown; enum?: unknown[] };
      return some.includes(value);
    });
  const form = forms.find(fits);
  if (!form) throw new Error(`no form of a body has ${fields.join(', ')} and ${JSON.stringify(fixed)}`);
  return form;
}

/** What a tool calls a field of its operation. */
export function nameOf(field: string): string {
  return field === ID ? SESSION : field;
}
