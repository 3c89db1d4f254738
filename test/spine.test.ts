import { readFileSync } from 'node:fs';
import {
  type AnswerOf,
  type Handlers,
  type InputOf,
  type Message,
  type Operation,
  type OperationMethods,
  operations,
  queryNames,
  reasons,
  type WorkerOperationName,
} from '@chat-web/protocol';
import { describe, expect, expectTypeOf, it } from 'vitest';

describe('the operation table', () => {
  const rows = Object.entries<Operation>(operations);

  it.each(rows)('%s has path and parameters that agree, and no field of the same name in its body', (_, row) => {
    const inPath = [...row.path.matchAll(/:(\w+)/g)].map(([, name]) => name);
    expect(inPath.sort()).toEqual(Object.keys(entriesOf(row.params)).sort());
    const inQuery = queryNames(row);
    const inSchema = [...inPath, ...inQuery];
    expect(new Set(inSchema).size).toBe(inSchema.length);
    const options = (row.body as { options?: unknown[] } | undefined)?.options ?? [row.body];
    for (const option of options.filter(Boolean)) {
      expect(Object.keys(entriesOf(option)).filter((field) => inSchema.includes(field))).toEqual([]);
    }
  });

  it.each(rows)('%s refuses unknown fields, at any depth of its body and query', (_, { query, body, optionalBody }) => {
    for (const schema of [query, body, optionalBody]) expect(objectsIn(schema)).not.toContain('object');
  });

  it.each(rows)('%s is available to a read key only if it changes nothing', (name, { method, scope }) => {
    // A ticket opens a stream that its key may read; its body is no part of a URL.
    if (scope === 'read') expect(method).toBe(name === 'createEventTicket' ? 'POST' : 'GET');
    else expect(['send', 'manage', 'operator']).toContain(scope);
  });

  it('has each method and path once', () => {
    const routes = rows.map(([, { method, path }]) => `${method} ${path}`);
    expect(new Set(routes).size).toBe(routes.length);
  });
});

describe('what is derived from it', () => {
  type WorkerHandlers = Handlers<WorkerOperationName>;

  it('refuses a handler that is missing or of another type', () => {
    expectTypeOf<Record<never, never>>().not.toExtend<WorkerHandlers>();
    expectTypeOf<Omit<WorkerHandlers, 'listChats'>>().not.toExtend<WorkerHandlers>();
    type Edit = Handlers<'editMessage'>;
    expectTypeOf<{ editMessage: () => Promise<string> }>().not.toExtend<Edit>();
    expectTypeOf<{ editMessage: (input: { nothing: number }) => Promise<Message> }>().not.toExtend<Edit>();
    expectTypeOf<{ editMessage: (input: { body: string }) => Promise<Message> }>().toExtend<Edit>();
  });

  it('types the input of a caller and the response', () => {
    expectTypeOf<InputOf<'editMessage'>>().toExtend<{ id: string; messageId: string; body: string }>();
    expectTypeOf<AnswerOf<'editMessage'>>().toEqualTypeOf<Message>();
    expectTypeOf<OperationMethods['listKeys']>()
      .parameter(0)
      .toEqualTypeOf<Readonly<Record<string, never>> | undefined>();
  });
});

describe('the documentation', () => {
  const page = (name: string) => readFileSync(new URL(`../docs/${name}.md`, import.meta.url), 'utf8');

  it('lists every reason unchanged, and no other', () => {
    const rows = [...page('events').matchAll(/^\| `([A-Z_]+)` \| ([^|]+) \|/gm)].map(([, code, text]) => [code, text]);
    expect(rows).toEqual(Object.entries(reasons));
  });
});

/** The types of all objects in a schema. */
function objectsIn(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { type, entries, options, wrapped, item } = schema as Record<string, unknown>;
  const parts = [
    ...Object.values(entries ?? {}),
    ...((Array.isArray(options) ? options : []) as unknown[]),
    wrapped,
    item,
  ];
  return [...(entries ? [String(type)] : []), ...parts.flatMap(objectsIn)];
}

function entriesOf(schema: unknown): object {
  return (schema as { entries: object }).entries;
}
