import type { Message } from '@chat-web/protocol';
import { tellPerson } from './ask.ts';
import { asMessage, compareDownload, downloadedBytes, type LinkedSession, messageKey } from './linked.ts';
import { grouped, inSeconds, type Outcome } from './report.ts';
import { makeSamples, type Sample } from './samples.ts';
import { pauseUnlessInterrupted } from './wait.ts';

const PAUSE_MS = 1_000;
const RECEIVED_TIMEOUT_MS = 60_000;
const PHONE_TIMEOUT_MS = 120_000;
const READ_POLLS = 10;
const READ_POLL_MS = 500;

/** Has another session send a message of each kind, and checks that each arrives and can be downloaded. */
export async function checkReceives(session: LinkedSession, peer: string): Promise<void> {
  const { report, client, phone, signal } = session;
  const isReceived = await report.check('receive text', async () => {
    const text = { type: 'text', to: phone, body: 'A test message of chat-web doctor, to be received.' } as const;
    return received(session, asMessage(await client.sendMessage({ id: peer, ...text })), text.body);
  });
  if (!isReceived) {
    report.add({ check: 'receive files', result: 'skip', detail: 'skipped, because the text did not arrive' });
    return;
  }
  for (const sample of makeSamples()) {
    await pauseUnlessInterrupted(PAUSE_MS, signal);
    await checkReceive(session, peer, sample);
  }
  const { phone: sender } = await client.getSessionInfo({ id: peer });
  await report.check('read by a send', () => readBySend(session, sender, signal));
}

/** Checks that a send leaves the chat unread on request, and reports what it does otherwise. */
async function readBySend({ client, id }: LinkedSession, to: string, signal: AbortSignal): Promise<Outcome> {
  const unread = async () => (await client.getChat({ id, chatId: to })).unreadCount ?? 0;
  const readAfterSend = async (markRead: boolean) => {
    await client.sendMessage({ id, type: 'text', to, body: 'A test message of chat-web doctor, in return.', markRead });
    for (let polls = READ_POLLS; polls > 0 && (await unread()) > 0; polls -= 1)
      await pauseUnlessInterrupted(READ_POLL_MS, signal);
    return (await unread()) === 0;
  };
  const before = await unread();
  if (before === 0)
    return { result: 'skip', detail: 'skipped, because the page counts no unread messages in the chat' };
  // The page marks a chat as read while the account is available.
  await client.setPresence({ id, presence: 'available' });
  try {
    if (await readAfterSend(false)) {
      const detail = `${before} unread messages before a send with markRead false, none after it`;
      return { result: 'fail', detail, todo: 'open an issue with the --json output' };
    }
    const isRead = await readAfterSend(true);
    return `a send ${isRead ? 'marks' : 'does not mark'} its chat as read while the account is available`;
  } finally {
    await client.setPresence({ id, presence: 'unavailable' });
  }
}

async function checkReceive(session: LinkedSession, peer: string, sample: Sample): Promise<void> {
  const { report, client, id, phone } = session;
  const { type, mimeType, filename, bytes } = sample;
  let messageId: string | undefined;
  await report.check(`receive ${type}`, async () => {
    const base64 = Buffer.from(bytes).toString('base64');
    const sent = asMessage(await client.sendMessage({ id: peer, type, to: phone, base64, mimeType, filename }));
    const outcome = await received(session, sent);
    messageId = find(session, sent)?.id;
    return outcome;
  });
  const known = messageId;
  if (known === undefined) return;
  await report.check(`download ${type} received`, () => compareDownload(client, { id, messageId: known }, sample));
}

/** Checks that a message of the other session arrives here, unchanged. */
async function received({ events }: LinkedSession, sent: Message, body?: string): Promise<Outcome> {
  const message = await events.next('message', (other) => messageKey(other) === messageKey(sent), RECEIVED_TIMEOUT_MS);
  if (!message) {
    const todo = 'check what the page lacks, and whether the session is ready';
    return { result: 'fail', detail: `no message event within ${inSeconds(RECEIVED_TIMEOUT_MS)}`, todo };
  }
  const isSame = message.hasMedia === sent.hasMedia && !message.fromMe && (body === undefined || message.body === body);
  if (isSame) return '';
  return {
    result: 'fail',
    detail: `received as ${message.type}, but it differs from what was sent`,
    todo: 'open an issue with the --json output',
  };
}

function find({ events }: LinkedSession, sent: Message): Message | undefined {
  return events.all('message').find((other) => messageKey(other) === messageKey(sent));
}

export async function checkPictureFromPhone({ report, client, id, events }: LinkedSession): Promise<void> {
  await report.check('receive a picture', async () => {
    tellPerson(`Send a picture to this account from another phone, within ${PHONE_TIMEOUT_MS / 60_000} minutes.`);
    const known = new Set(events.all('message').map((message) => message.id));
    const isNew = (message: Message) => message.hasMedia && !known.has(message.id);
    const message = await events.next('message', isNew, PHONE_TIMEOUT_MS);
    if (!message) return { result: 'skip', detail: 'none arrived' };
    const got = await downloadedBytes(await client.getMedia({ id, messageId: message.id }));
    if (got.length > 0) return `${grouped(got.length)} bytes of ${message.mimeType ?? 'unknown type'}`;
    return { result: 'fail', detail: 'it is empty', todo: 'open an issue with the --json output' };
  });
}
