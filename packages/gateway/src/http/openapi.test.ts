import { bodyFields, errorTable, isWorkerOperation, type Operation, operations } from '@chat-web/protocol';
import { describe, expect, it } from 'vitest';
import { openApiDocument } from './openapi.ts';

interface Documented {
  readonly operationId: string;
  readonly parameters?: { in: string; name: string; example?: string; schema: object }[];
  readonly requestBody?: { content: Record<string, { schema: object; examples: Record<string, { value: unknown }> }> };
  readonly responses: Record<string, { description: string; content?: Record<string, { schema?: object }> }>;
  readonly security?: readonly object[];
}

interface Document {
  readonly openapi: string;
  readonly info: { readonly version: string };
  readonly paths: Record<string, Record<string, Documented>>;
  readonly security?: readonly object[];
}

const documentOf = (hasToken: boolean) => JSON.parse(JSON.stringify(openApiDocument('1.2.3', hasToken))) as Document;
const guarded = documentOf(true);
const all = Object.entries(guarded.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, documented]) => ({ path, method, ...documented })),
);
const rows = Object.entries<Operation>(operations).map(([name, operation]) => ({ name, ...operation }));
const templateOf = (path: string) => path.replace(/:(\w+)/g, '{$1}');

describe('the OpenAPI document', () => {
  it('is 3.1, and has every operation and every other route once', () => {
    expect([guarded.openapi, guarded.info.version]).toEqual(['3.1.0', '1.2.3']);
    const names = all.map(({ operationId }) => operationId).sort();
    expect(names).toEqual([...Object.keys(operations), 'health', 'ready', 'metrics', 'events', 'allEvents'].sort());
  });

  it.each(rows)('has $name under its method and path, with its scope', ({ name, method, path, scope }) => {
    const documented = guarded.paths[templateOf(path)]?.[method.toLowerCase()];
    expect(documented).toMatchObject({ operationId: name, 'x-scope': scope, security: [{ bearer: [scope] }] });
  });

  it.each(all)('$operationId: names the parameters of its path, in their order', ({ path, parameters = [] }) => {
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    expect(parameters.filter((one) => one.in === 'path').map(({ name }) => name)).toEqual(inPath);
  });

  it.each(rows)(
    '$name: lists the errors that it may return, by status and code',
    ({ name, method, path, errors, status = 200 }) => {
      const { responses = {} } = guarded.paths[templateOf(path)]?.[method.toLowerCase()] ?? {};
      expect(Object.keys(responses)).toContain(String(status));
      const ofWorker = isWorkerOperation(name) ? (['page_unsupported', 'shutting_down'] as const) : [];
      for (const code of [...errors, ...ofWorker, 'unauthorized', 'forbidden', 'internal_error'] as const)
        expect(responses[errorTable[code].status]?.description).toContain(`\`${code}\``);
    },
  );

  it.each(rows.filter(({ body }) => body))(
    '$name: has the examples of its body',
    ({ method, path, examples, ...row }) => {
      const { requestBody } = guarded.paths[templateOf(path)]?.[method.toLowerCase()] ?? {};
      const named = requestBody?.content['application/json']?.examples ?? {};
      expect(Object.keys(named)).toEqual(Object.keys(examples));
      for (const [title, { value }] of Object.entries(named))
        expect(value).toEqual(bodyFields({ path, ...row }, examples[title] ?? {}));
    },
  );

  it('has the special cases of operations: base64, a form, an optional picture, the QR as an image', () => {
    const { paths } = guarded;
    const { content } = paths['/sessions/{id}/messages']?.post?.requestBody ?? { content: {} };
    const body = content['application/json'];
    expect(content).toHaveProperty(['multipart/form-data', 'schema', 'properties', 'file']);
    expect(paths['/sessions/{id}/groups']?.post?.requestBody?.content).not.toHaveProperty(['multipart/form-data']);
    expect(JSON.stringify(body?.schema)).toContain('"contentEncoding":"base64"');
    expect(paths['/sessions/{id}/contacts/{contactId}/picture']?.get?.responses).toHaveProperty('204');
    expect(paths['/sessions/{id}/qr']?.get?.responses[200]?.content).toHaveProperty('image/png');
    expect(paths['/metrics']?.get).toMatchObject({ 'x-scope': 'operator' });
    expect(paths['/health']?.get).toMatchObject({ security: [] });
  });

  it('requires a token where the gateway does', () => {
    expect(guarded.security).toEqual([{ bearer: [] }]);
    const open = documentOf(false);
    expect(open).not.toHaveProperty('security');
    expect(
      Object.values(open.paths).flatMap((methods) => Object.values(methods).map(({ security }) => security)),
    ).toEqual(all.map(({ operationId }) => (['health', 'ready'].includes(operationId) ? [] : undefined)));
  });
});
