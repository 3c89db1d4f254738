import { createClient } from '@chat-web/host';
import type { Message, OperationMethods } from '@chat-web/protocol';
import { asMessage, type LinkedSession } from './linked.ts';
import type { Outcome } from './report.ts';
import { makeSamples } from './samples.ts';
import { Interrupted } from './wait.ts';

/** Posts a text and a picture to the status feed, and deletes them. */
export async function checkStatusFeed(session: LinkedSession): Promise<void> {
  const { id } = session;
  const body = 'A test of chat-web doctor.';
  await postAndDelete(
    session,
    'status text',
    (client) => client.postStatus({ id, type: 'text', body }),
    async (posted) => {
      const outcome = judge(posted);
      if (outcome === '') await checkReply(session, posted.id);
      return outcome;
    },
  );
  const image = makeSamples().find(({ type }) => type === 'image');
  if (!image) return;
  const file = { base64: Buffer.from(image.bytes).toString('base64'), mimeType: image.mimeType };
  await postAndDelete(session, 'status image', (client) => client.postStatus({ id, type: 'image', ...file }), judge);
}

/** Replies to the account's own status, in its chat with itself: only the account sees that. */
async function checkReply({ report, client, id, phone }: LinkedSession, quotedMessageId: string): Promise<void> {
  await report.check('reply to a status', async () => {
    const text = { type: 'text', to: phone, body: 'A test reply of chat-web doctor.' } as const;
    const sent = asMessage(await client.sendMessage({ id, ...text, quotedMessageId }));
    const isQuoted = sent.quotedMessageId !== undefined;
    await client.deleteMessage({ id, messageId: sent.id, forEveryone: false });
    return isQuoted ? '' : { result: 'fail', detail: 'it arrived without its quote', todo: REPORT };
  });
}

function judge({ ack }: Message): Outcome {
  if (ack >= 1) return '';
  return { result: 'fail', detail: `ack ${ack}: the network does not have it`, todo: 'check the phone' };
}

const REPORT = 'open an issue with the --json output';
const ACK_TIMEOUT_MS = 30_000;

/** Sends a text to a group, and deletes it for everyone. */
export async function checkGroup(session: LinkedSession, group: string): Promise<void> {
  const { report, client, id, events } = session;
  await report.check('group known', async () => {
    const found = (await client.listGroups({ id })).find((one) => one.id === group);
    if (!found) return { result: 'fail', detail: 'the account is not in this group', todo: 'check --group' };
    if (found.participantCount !== undefined) return `${found.participantCount} members`;
    return { result: 'warn', detail: 'its members are unknown', todo: 'try again some minutes later' };
  });
  const text = { type: 'text', to: group, body: 'A test message of chat-web doctor.' } as const;
  await postAndDelete(
    session,
    'group text',
    async (whole) => asMessage(await whole.sendMessage({ id, ...text })),
    async (sent) => {
      const isAcked = await events.next('message_ack', (ack) => ack.id === sent.id && ack.ack >= 1, ACK_TIMEOUT_MS);
      return isAcked ? '' : { result: 'warn', detail: 'no ack event arrived', todo: 'check the phone' };
    },
  );
}

/**
 * Posts something that others see, and deletes it for everyone however the run ends. Neither call is interrupted,
 * because the post would stay.
 */
async function postAndDelete(
  { report, address, id, signal }: LinkedSession,
  check: string,
  post: (client: OperationMethods) => Promise<Message>,
  judge: (posted: Message) => Promise<Outcome> | Outcome,
): Promise<void> {
  if (signal.aborted) throw new Interrupted('interrupted');
  const client = createClient(address);
  let posted: Message | undefined;
  try {
    await report.check(check, async () => {
      posted = await post(client);
      return judge(posted);
    });
  } finally {
    const messageId = posted?.id;
    if (messageId !== undefined)
      await report.check(`${check} deleted`, async () => {
        const { deletedFor } = await client.deleteMessage({ id, messageId, forEveryone: true });
        if (deletedFor === 'everyone') return '';
        return { result: 'fail', detail: 'it was deleted for this account only', todo: 'delete it on the phone' };
      });
  }
}
