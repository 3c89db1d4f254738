import { ADA, BEN, browserAndWorkerIn, eventually, pace, renderersIn } from '@chat-web/testing';
import { Stack } from '@chat-web/testing/stack';
import { describe, expect, it } from 'vitest';

// These tests mostly wait.
describe.concurrent('a send', () => {
  it('into a frozen page is definitely not sent, not even when the page resumes', async () => {
    await using stack = await Stack.start();
    await stack.link('ada', ADA);
    const [renderer = 0] = renderersIn(`${stack.dataDir}/sessions/ada`);
    await expectUnsent(stack, renderer, {
      code: 'client_failed',
      message: expect.stringContaining('nothing was sent'),
    });
  });

  it('into a frozen browser has an unknown outcome, and is not sent when the browser resumes', async () => {
    await using stack = await Stack.start();
    await stack.link('ada', ADA);
    const { browser } = browserAndWorkerIn(`${stack.dataDir}/sessions/ada`);
    await expectUnsent(stack, browser, { code: 'outcome_unknown' });
  });

  it('whose page reloads before the network has confirmed it has its id in the error', async () => {
    await using stack = await Stack.start();
    await stack.link('ada', ADA);
    await stack.phones.configure({ ackDelayMs: 20_000 });
    const sent = stack.client.sendMessage({ id: 'ada', type: 'text', to: BEN, body: 'on its way' });
    sent.catch(() => {});
    await stack.untilUnconfirmed('ada', ADA);
    await pace(5_000); // The page reports the id after half a second without a confirmation.
    await stack.disturb(ADA, 'reload');
    const error = await sent.catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'outcome_unknown', message: expect.stringContaining('has not confirmed') });
    const [arrived] = await eventually(async () => {
      const messages = await stack.phones.messages(BEN, { with: ADA });
      expect(messages).toHaveLength(1);
      return messages;
    });
    expect(String((error as Error).message)).toContain(arrived?.id.split('_').at(-1));
  });
});

/** Stops a process, sends, continues the process, and expects that the message does not arrive. */
async function expectUnsent(stack: Stack, pid: number, error: object): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  try {
    const sent = stack.client.sendMessage({ id: 'ada', type: 'text', to: BEN, body: 'frozen' });
    await expect(sent).rejects.toMatchObject(error);
  } finally {
    process.kill(pid, 'SIGCONT');
  }
  await stack.settled(); // A page that resumes would carry out at once what it was sent.
  await stack.untilStatus('ada', 'ready', 90_000);
  await stack.client.sendMessage({ id: 'ada', type: 'text', to: BEN, body: 'thawed' });
  await eventually(async () => {
    const bodies = (await stack.phones.messages(BEN, { with: ADA })).map(({ body }) => body);
    expect(bodies).toEqual(['thawed']);
  });
}
