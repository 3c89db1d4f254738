import { exampleIds, type Operation, type OperationName, operations } from '@chat-web/protocol';
import { ADA, askExample, examplesOf, type RawRequest, rawRequest, requestOf } from '@chat-web/testing';
import { prepareExamples } from '@chat-web/testing/stack';
import { sharedStack } from '@chat-web/testing/story';
import { beforeAll, describe, expect, it } from 'vitest';

describe('the OpenAPI document', () => {
  const stack = sharedStack({ settings: { CHAT_WEB_TOKEN: 'sesame', CHAT_WEB_WEBHOOK_HOSTS: 'localhost' } });
  const ask = (request: RawRequest) =>
    rawRequest(stack.gateway.url, {
      ...request,
      headers: { ...request.headers, authorization: 'Bearer sesame' },
    });

  beforeAll(async () => {
    await stack.linkLongAgo(exampleIds.session, ADA);
    await stack.client.startSession({ id: 'spare' });
    await prepareExamples(stack.phones, ADA);
  });

  it('is served', async () => {
    expect((await ask({ path: '/openapi.json' })).text).toContain('"openapi":"3.1.0"');
  });

  const apart = [
    'exportSession',
    'importSession',
    'logoutSession',
    'stopSession',
    'deleteSession',
    'deleteKey',
    'deleteWebhook',
  ];
  /** Refused by a gateway on its own. */
  const ofCluster: readonly string[] = [
    'getClusterHost',
    'removeHost',
    'confirmHostOff',
    'drainHost',
    'endDrain',
    'moveSession',
  ];
  const order = (Object.keys(operations) as OperationName[]).filter((name) => !apart.includes(name));

  it.each(examplesOf([...order, 'deleteSession', 'deleteWebhook']))(
    'has an example of $name, $title, that works unchanged',
    async ({ name, example }) => {
      const webhookId = (await stack.client.listWebhooks()).webhooks.at(-1)?.id;
      const own = 'webhookId' in example ? { webhookId } : {};
      const answer = await askExample(ask, { name, example: { ...example, ...own } });
      // The account of the examples is a business, for its labels. Its name is set in the business profile.
      const refused = ofCluster.includes(name) ? 404 : name === 'setProfileName' ? 403 : undefined;
      const status = refused ?? (operations[name] as Operation).status ?? 200;
      expect({ status: answer.status, text: answer.text.slice(0, 300) }).toMatchObject({ status });
    },
  );

  it('has an example of deleteKey that works with the id of a key', async () => {
    const [key] = (await stack.client.listKeys()).keys;
    const { keyId } = operations.deleteKey.examples.known;
    expect(keyId).toMatch(/^key_/);
    expect((await ask(requestOf('deleteKey', { keyId: key?.id }))).status).toBe(200);
  });

  it('has an example of stopSession that works, too', async () => {
    await stack.client.startSession({ id: 'spare' });
    expect((await ask(requestOf('stopSession', operations.stopSession.examples.known))).status).toBe(200);
  });
});
