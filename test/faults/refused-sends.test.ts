import { sendText } from '@chat-web/host';
import { ADA, BEN, eventually, media } from '@chat-web/testing';
import { Stack } from '@chat-web/testing/stack';
import { expect, it } from 'vitest';

it.each([
  { build: '2026-09', shows: (code: number) => code === 475 },
  { build: '2026-10', shows: () => true },
] as const)(
  'a failed send is reported as refused or unknown, never one as the other: $build',
  async ({ build, shows }) => {
    await using stack = await Stack.start({ simulator: { build } });
    await stack.link('main', ADA);
    const send = (body: string) => sendText(stack.client, { id: 'main', type: 'text', to: BEN, body });
    const received = async () => (await stack.phones.messages(BEN, { with: ADA })).map(({ body }) => body);
    await send('first');

    const image = {
      id: 'main',
      type: 'image',
      to: BEN,
      base64: Buffer.from(media[0].bytes).toString('base64'),
    } as const;
    for (const code of [463, 475, 429]) {
      await stack.phones.refuse(ADA, { kind: 'nack', code });
      // Older builds show most refusals without their cause.
      const error = shows(code)
        ? {
            code: 'rate_limited',
            message: expect.stringContaining(`code ${code}`),
            retryAfterSeconds: code === 429 ? 60 : 86_400,
          }
        : { code: 'not_permitted' };
      await expect(send('refused')).rejects.toMatchObject(error);
      await expect(stack.client.sendMessage(image)).rejects.toMatchObject(error);
    }
    await stack.phones.refuse(ADA, { kind: 'nack', code: 479 });
    await expect(send('refused')).rejects.toMatchObject({
      code: 'not_permitted',
      message: expect.stringContaining(shows(479) ? 'code 479' : 'refused'),
    });

    // The page's own error leaves open whether the network has the message: a retry may duplicate it.
    await stack.phones.refuse(ADA, { kind: 'network', code: 503 });
    await expect(send('unanswered')).rejects.toMatchObject({ code: 'outcome_unknown' });
    await stack.phones.refuse(ADA, { kind: 'none' });
    await send('last');
    await eventually(async () => expect(await received()).toEqual(['first', 'last']));
  },
);
