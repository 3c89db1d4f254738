import {
  type Example,
  exampleIds,
  examples,
  type Operation,
  type OperationName,
  operations,
  queryText,
} from '@chat-web/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { prepareExamples } from '../scripts/example-world.ts';
import { type RawAnswer, rawRequest } from './helpers/raw-request.ts';
import { ADA, Stack } from './helpers/stack.ts';

describe('the OpenAPI document', () => {
  let stack: Stack;
  const ask = (method: string, path: string, body?: unknown): Promise<RawAnswer> =>
    rawRequest(stack.gateway.url, {
      method,
      path,
      headers: { authorization: 'Bearer sesame', ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });

  beforeAll(async () => {
    stack = await Stack.start({ settings: { CHAT_WEB_TOKEN: 'sesame', CHAT_WEB_WEBHOOK_HOSTS: 'localhost' } });
    await stack.linkLongAgo(exampleIds.session, ADA);
    await stack.client.startSession({ id: 'spare' });
    await prepareExamples(stack.phones, ADA);
  });
  afterAll(() => stack[Symbol.asyncDispose]());

  it('is served', async () => {
    expect((await ask('GET', '/openapi.json')).text).toContain('"openapi":"3.1.0"');
  });

  const apart = [
    ...['exportSession', 'importSession', 'logoutSession', 'stopSession', 'deleteSession'],
    ...['deleteKey', 'deleteWebhook'],
  ];
  const order = Object.keys(operations).filter((name) => !apart.includes(name));
  const all = [...order, 'deleteSession', 'deleteWebhook'].flatMap((name) =>
    Object.entries(examples[name as OperationName]).map(([title, example]) => ({
      name: name as OperationName,
      title,
      example,
    })),
  );

  it.each(all)('has an example of $name, $title, that works unchanged', async ({ name, example }) => {
    const { method, path } = operations[name];
    const webhook = (await stack.client.listWebhooks()).webhooks.at(-1)?.id;
    const filling: Readonly<Record<string, string>> = { ...example.path, ...(webhook ? { webhookId: webhook } : {}) };
    const filled = path.replace(/:(\w+)/g, (_, param: string) => encodeURIComponent(filling[param] ?? ''));
    const answer = await ask(method, filled + queryText(example.query ?? {}), example.body);
    // The account of the examples is a business, for its labels. Its name is set in the business profile.
    const status = name === 'setProfileName' ? 403 : ((operations[name] as Operation).status ?? 200);
    expect({ status: answer.status, text: answer.text.slice(0, 300) }).toMatchObject({ status });
  });

  it('has an example of deleteKey that works with the id of a key', async () => {
    const [key] = (await stack.client.listKeys()).keys;
    const [{ path }] = Object.values(examples.deleteKey) as [Example];
    expect(path.keyId).toMatch(/^key_/);
    expect((await ask('DELETE', `/keys/${key?.id}`)).status).toBe(200);
  });

  it('has an example of stopSession that works, too', async () => {
    await stack.client.startSession({ id: 'spare' });
    expect((await ask('POST', '/sessions/spare/stop')).status).toBe(200);
  });
});
