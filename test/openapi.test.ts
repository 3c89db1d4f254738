import { type Example, exampleIds, examples, type Operation, type OperationName, operations } from '@chat-web/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { prepareExamples } from '../scripts/example-world.ts';
import { type RawAnswer, rawRequest } from './helpers/raw-request.ts';
import { ADA, Stack } from './helpers/stack.ts';

interface Documented {
  readonly operationId: string;
  readonly parameters?: { name: string; example?: string; schema: object }[];
  readonly requestBody?: { content: Record<string, { schema: object; examples: Record<string, { value: unknown }> }> };
  readonly responses: Record<string, { description: string; content?: Record<string, { schema?: object }> }>;
}

interface Document {
  readonly openapi: string;
  readonly paths: Record<string, Record<string, Documented>>;
}

describe('the OpenAPI document', () => {
  let stack: Stack;
  let document: Document;
  const ask = (method: string, path: string, body?: unknown): Promise<RawAnswer> =>
    rawRequest(stack.gateway.url, {
      method,
      path,
      headers: { authorization: 'Bearer sesame', ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });

  beforeAll(async () => {
    stack = await Stack.start({ settings: { CHAT_WEB_TOKEN: 'sesame' } });
    document = JSON.parse((await ask('GET', '/openapi.json')).text);
    await stack.link(exampleIds.session, ADA);
    await stack.client.startSession({ id: 'spare' });
    await prepareExamples(stack.phones, ADA);
  });
  afterAll(() => stack[Symbol.asyncDispose]());

  it('is 3.1, and has every route with its parameters, bodies and errors', () => {
    expect(document.openapi).toBe('3.1.0');
    const documented = Object.values(document.paths).flatMap((methods) => Object.values(methods));
    const names = documented.map(({ operationId }) => operationId).sort();
    expect(names).toEqual([...Object.keys(operations), 'health', 'ready', 'metrics', 'events'].sort());
    for (const { operationId, parameters = [], responses } of documented) {
      const path = Object.entries(document.paths).find(([, methods]) =>
        Object.values(methods).some((operation) => operation.operationId === operationId),
      )?.[0];
      expect([...(path ?? '').matchAll(/\{(\w+)\}/g)].map(([, name]) => name)).toEqual(
        parameters.map(({ name }) => name),
      );
      expect(Object.keys(responses)).toEqual(expect.arrayContaining(['403']));
      expect(Object.keys(responses)).toContain(operationId === 'createKey' ? '201' : '200');
    }
    expect(document.paths['/sessions/{id}/messages']?.post?.responses).toHaveProperty('409');
    expect(document.paths['/sessions/{id}/contacts/{contactId}/picture']?.get?.responses).toHaveProperty('204');
    const send = document.paths['/sessions/{id}/messages']?.post?.requestBody?.content['application/json'];
    expect(JSON.stringify(send?.schema)).toContain('"contentEncoding":"base64"');
  });

  const apart = ['stopSession', 'deleteSession', 'deleteKey'];
  const order = Object.keys(operations).filter((name) => !apart.includes(name));
  const all = [...order, 'deleteSession'].flatMap((name) =>
    Object.entries(examples[name as OperationName]).map(([title, example]) => ({
      name: name as OperationName,
      title,
      example,
    })),
  );

  it.each(all)('has an example of $name, $title, that works as it stands', async ({ name, example }) => {
    const { method, path } = operations[name];
    const filled = path.replace(/:(\w+)/g, (_, param: string) => encodeURIComponent(example.path[param] ?? ''));
    const answer = await ask(method, filled, example.body);
    expect({ status: answer.status, text: answer.text.slice(0, 300) }).toMatchObject({
      status: (operations[name] as Operation).status ?? 200,
    });
  });

  it('has an example of deleteKey that works with the id of a key', async () => {
    const [key] = (await stack.client.listKeys()).keys;
    const [{ path }] = Object.values(examples.deleteKey) as [Example];
    expect(path.keyId).toMatch(/^key_/);
    expect((await ask('DELETE', `/keys/${key?.id}`)).status).toBe(200);
  });

  it('names the scope of each', () => {
    for (const { method, path, scope } of Object.values<Operation>(operations)) {
      const documented = document.paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()];
      expect(documented).toMatchObject({ 'x-scope': scope, security: [{ bearer: [scope] }] });
    }
    expect(document.paths['/metrics']?.get).toMatchObject({ 'x-scope': 'operator' });
    expect(document.paths['/health']?.get).toMatchObject({ security: [] });
  });

  it('has an example of stopSession that works, too', async () => {
    await stack.client.startSession({ id: 'spare' });
    expect((await ask('POST', '/sessions/spare/stop')).status).toBe(200);
  });

  it('is a page for people as well, which loads and runs nothing', async () => {
    const { status, headers, text } = await ask('GET', '/docs');
    expect(status).toBe(200);
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(text).not.toMatch(/<script|src=|href="http/);
    for (const { method, path } of Object.values(operations)) {
      expect(text).toContain(`${method} ${path.replace(/:(\w+)/g, '{$1}')}`);
    }
  });
});
