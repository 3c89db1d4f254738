import { type Example, exampleIds, type OperationName, operations } from '@chat-web/protocol';
import { ADA, examplesOf, rawRequest, requestOf, rounds } from '@chat-web/testing';
import { prepareExamples } from '@chat-web/testing/stack';
import { sharedStack } from '@chat-web/testing/story';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';

const RUNS = rounds({ few: 8, all: 50 });

/** Bodies of unusual texts that pass their schemas: how handlers and the page process them. */
describe('valid input of unusual texts, on a running session', () => {
  const stack = sharedStack({ simulator: { ackDelayMs: 0, deliveryDelayMs: 0 } });
  beforeAll(async () => {
    // Before the link: a page loads channels when it logs in.
    await prepareExamples(stack.phones, ADA);
    await stack.phones.profile(ADA, { business: false }); // The name of a business account cannot change.
    await stack.link('main', ADA);
  });

  const oddText = fc.oneof(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }),
    fc.constantFrom('BEGIN:VCARD\nEND', 'https://example.com', '\u202e\u0000', '<b>', '{"a":1}', '\ud800', ' ', '*_~'),
  );
  const withText = (example: Example): fc.Arbitrary<Example> =>
    fc.dictionary(fc.constantFrom(...textsOf(example)), oddText).map((changes) => ({ ...example, ...changes }));
  const TEXTS = ['body', 'caption', 'subject', 'filename', 'name', 'address', 'question', 'description', 'about'];
  const textsOf = (example: Example) => Object.keys(example).filter((field) => TEXTS.includes(field));
  const writing = [
    'sendMessage',
    'editMessage',
    'renameGroup',
    'postStatus',
    'setGroupDescription',
    'setProfileAbout',
    'setProfileName',
    'createGroup',
    'postToChannel',
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
      fc.asyncProperty(withText(example), (input) => expectAnswer(name, input, [200, 400])),
      { numRuns: RUNS },
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
    const [example] = Object.values(operations[name].examples);
    await fc.assert(
      fc.asyncProperty(fc.record<Record<string, unknown>>(fields, { requiredKeys: [] }), (query) =>
        expectAnswer(name, { ...example, ...query }, [200, 400, 404]),
      ),
      { numRuns: RUNS },
    );
  });

  it('leaves the session unchanged', async () => {
    expect(await stack.client.getSessionStatus({ id: 'main' })).toMatchObject({ status: 'ready' });
    expect(stack.gateway.log.filter((line) => /"level":"(error|fatal)"/.test(line))).toEqual([]);
  });
});
