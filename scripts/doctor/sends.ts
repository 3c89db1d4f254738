import type { EventData, Message } from '@chat-web/protocol';
import { asMessage, compareDownload, type LinkedSession } from './linked.ts';
import type { Outcome } from './report.ts';
import { makeSamples, type Sample } from './samples.ts';
import { eventually, pauseUnlessInterrupted } from './wait.ts';

/** People do not write faster. */
const PAUSE_MS = 1_000;
const ACK_TIMEOUT_MS = 30_000;

/** Sends a message of each kind, waits for its acks, downloads it again, and changes the text. */
export async function checkSends(session: LinkedSession, to: string): Promise<void> {
  const { report, client, id, signal } = session;
  let text: Message | undefined;
  await report.check('send text', async () => {
    text = asMessage(await client.sendMessage({ id, type: 'text', to, body: 'A test message of chat-web doctor.' }));
    return '';
  });
  if (!text) {
    // A restricted or rate limited account must not make five more attempts.
    report.add({ check: 'send files', result: 'skip', detail: 'skipped, because the text was not sent' });
    return;
  }
  const sent = [text];
  for (const sample of makeSamples()) {
    await pauseUnlessInterrupted(PAUSE_MS, signal);
    const message = await checkSend(session, to, sample);
    if (message) sent.push(message);
  }
  await report.check('acks', () => acks(session, sent, to));
  await checkChanges(session, text.id, to === session.phone);
}

async function checkSend({ report, client, id }: LinkedSession, to: string, sample: Sample) {
  const { type, mimeType, filename, bytes } = sample;
  let message: Message | undefined;
  await report.check(`send ${type}`, async () => {
    const base64 = Buffer.from(bytes).toString('base64');
    message = asMessage(await client.sendMessage({ id, type, to, base64, mimeType, filename }));
    return '';
  });
  const messageId = message?.id;
  if (messageId !== undefined)
    await report.check(`download ${type} sent`, () => compareDownload(client, { id, messageId }, sample));
  return message;
}

/** Checks with the event stream that each message reached the network (ack 1) and its recipient (ack 2). */
async function acks({ events, phone, signal }: LinkedSession, sent: readonly Message[], to: string): Promise<Outcome> {
  const best = (messageId: string) => {
    const fits = ({ id }: EventData<'message_ack'>) => id === messageId;
    return Math.max(
      -2,
      ...events
        .all('message_ack')
        .filter(fits)
        .map(({ ack }) => ack),
    );
  };
  const count = (ack: number) => sent.filter(({ id }) => best(id) >= ack).length;
  const wanted = to === phone ? 1 : 2;
  const look = () => (count(wanted) === sent.length ? true : undefined);
  await eventually(look, { timeoutMs: ACK_TIMEOUT_MS, signal });
  const detail = `of ${sent.length}: ${count(1)} reached the server, ${count(2)} were delivered`;
  if (sent.some(({ id }) => best(id) === -1))
    return {
      result: 'fail',
      detail: `${detail}; one ack is an error`,
      todo: 'check the phone: the account may be restricted',
    };
  if (count(1) < sent.length) {
    const todo = 'acks do not arrive as events: check what the page lacks, and whether the account is restricted';
    return { result: 'fail', detail, todo };
  }
  if (count(wanted) === sent.length) return detail;
  return { result: 'warn', detail, todo: 'turn the phone of the recipient on: it sends ack 2' };
}

async function checkChanges(
  { report, client, id }: LinkedSession,
  messageId: string,
  isToItself: boolean,
): Promise<void> {
  await report.check('reaction', async () => {
    await client.sendMessage({ id, type: 'reaction', messageId, emoji: '👍' });
    return '';
  });
  await report.check('edit', async () => {
    const body = 'A test message of chat-web doctor, edited.';
    const edited = await client.editMessage({ id, messageId, body });
    return edited.body === body ? '' : { result: 'fail', detail: 'the text did not change', todo: 'check the phone' };
  });
  await report.check('delete for everyone', async () => {
    const { deletedFor } = await client.deleteMessage({ id, messageId, forEveryone: true });
    if (deletedFor === 'everyone') return '';
    if (isToItself) return 'for this account only, as in every chat with oneself';
    return { result: 'fail', detail: 'it was deleted for this account only', todo: 'delete it on the phone' };
  });
}
