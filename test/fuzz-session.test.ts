import { type Example, exampleIds, examples, type OperationName } from '@chat-web/protocol';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { prepareExamples } from '../scripts/example-world.ts';
import { examplesOf, requestOf } from './helpers/example-requests.ts';
import { rawRequest } from './helpers/raw-request.ts';
import { ADA, Stack } from './helpers/stack.ts';

/** Bodies of unusual texts that pass their schemas: how handlers and the page process them. */
describe('valid input of unusual texts, on a running session', () => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await Stack.start({ simulator: { ackDelayMs: 0, deliveryDelayMs: 0 } });
    // Before the link: a page loads channels when it logs in.
    await prepareExamples(stack.phones, ADA);
    await stack.phones.profile(ADA, { business: false }); // The name of a business account cannot change.
    await stack.link('main', ADA);
  });
  afterAll(() => stack[Symbol.asyncDispose]());

  const oddText = fc.oneof(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }),
    fc.constantFrom('BEGIN:VCARD\nEND', 'https://example.com', '\u202e\u0000', '<b>', '{"a":1}', '\ud800', ' ', '*_~'),
  );
  const withText = (example: Example): fc.Arbitrary<unknown> => {
    return fc
      .dictionary(fc.constantFrom(...textsOf(example)), oddText)
      .map((changes) => ({ ...example.body, ...changes }));
  };
  const TEXTS = ['body', 'caption', 'subject', 'filename', 'name', 'address', 'question', 'description', 'about'];
  const textsOf = ({ body = {} }: Example) => Object.keys(body).filter((field) => TEXTS.includes(field));
  const writing = [
    ...['sendMessage', 'editMessage', 'renameGroup', 'postStatus', 'setGroupDescription', 'setProfileAbout'],
    ...['setProfileName', 'createGroup', 'postToChannel'],
  ] as OperationName[];
  const cases = examplesOf(writing).filter(({ title, example }) => title !== 'sticker' && textsOf(example).length > 0);
  const expectAnswer = async (name: OperationName, example: Example, statuses: readonly number[]) => {
    const { status, text } = await rawRequest(stack.gateway.url, requestOf(name, example));
    expect({ status, text: text.slice(0, 200) }).toMatchObject({
      status: expect.toSatisfy((answered: number) => statuses.includes(answered)),
    });
  };

  it.each(cases)('in a body is never answered 500 by $name ($title)', async ({ name, example }) => {
    await fc.assert(
      fc.asyncProperty(withText(example), (body) =>
        expectAnswer(name, { ...example, body: body as Record<string, unknown> }, [200, 400]),
      ),
      { numRuns: 25 },
    );
  });

  const hex = fc.string({ unit: fc.constantFrom(...'0123456789ABCDEF'), minLength: 8, maxLength: 40 });
  const messageId = fc.oneof(
    fc.constantFrom(exampleIds.inboundMedia, exampleIds.outboundText, exampleIds.status),
    hex.map((id) => `false_${exampleIds.person}_${id}`),
    oddText,
  );
  const limit = fc.integer({ min: 1, max: 100 });
  const recipient = fc.constantFrom(exampleIds.person, exampleIds.group, exampleIds.ownChannel, '12025550999', 'x');
  const queries = [
    ['listMessages', { before: messageId, limit }],
    ['listMessages', { after: messageId, limit }],
    ['searchMessages', { text: oddText, chatId: recipient, page: fc.integer({ min: 1, max: 1_000 }), limit }],
    ['listChannelMessages', { limit }],
  ] as const;

  it.each(queries)('in a query is never answered 500 by %s', async (name, fields) => {
    const [example] = Object.values(examples[name]);
    if (!example) throw new Error(`${name} has no example`);
    await fc.assert(
      fc.asyncProperty(fc.record<Record<string, unknown>>(fields, { requiredKeys: [] }), (query) =>
        expectAnswer(name, { ...example, query: { ...example.query, ...query } as Example['query'] & object }, [
          ...[200, 400, 404],
        ]),
      ),
      { numRuns: 25 },
    );
  });

  it('leaves the session unchanged', async () => {
    expect(await stack.client.getSessionStatus({ id: 'main' })).toMatchObject({ status: 'ready' });
    expect(stack.gateway.log.filter((line) => /"level":"(error|fatal)"/.test(line))).toEqual([]);
  });
});
