import { type Example, examples, type OperationName, operations } from '@chat-web/protocol';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { prepareExamples } from '../scripts/example-world.ts';
import { rawRequest } from './helpers/raw-request.ts';
import { ADA, Stack } from './helpers/stack.ts';

/** Bodies that pass their schemas, of texts that nobody would think of: what handlers and the page make of them. */
describe('a valid body of odd texts, on a session that runs', () => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await Stack.start({ simulator: { ackDelayMs: 0, deliveryDelayMs: 0 } });
    await stack.link('main', ADA);
    await prepareExamples(stack.phones, ADA);
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
    'setProfileName',
  ] as OperationName[];
  const cases = writing.flatMap((name) =>
    Object.entries(examples[name])
      .filter(([title, example]) => title !== 'sticker' && textsOf(example).length > 0)
      .map(([title, example]) => ({ name, title, example })),
  );

  it.each(cases)('is never answered 500 by $name ($title)', async ({ name, example }) => {
    const { method, path } = operations[name];
    const filled = path.replace(/:(\w+)/g, (_, param: string) => encodeURIComponent(example.path[param] ?? ''));
    await fc.assert(
      fc.asyncProperty(withText(example), async (body) => {
        const headers = { 'content-type': 'application/json' };
        const answer = await rawRequest(stack.gateway.url, {
          method,
          path: filled,
          headers,
          body: JSON.stringify(body),
        });
        expect({ status: answer.status, text: answer.text.slice(0, 200) }).toMatchObject({
          status: expect.toSatisfy((status: number) => status === 200 || status === 400),
        });
      }),
      { numRuns: 25 },
    );
  });

  it('leaves the session as it was', async () => {
    expect(await stack.client.getSessionStatus({ id: 'main' })).toMatchObject({ status: 'ready' });
    expect(stack.gateway.log.filter((line) => /"level":"(error|fatal)"/.test(line))).toEqual([]);
  });
});
