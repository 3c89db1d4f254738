import { asMessage, type LinkedSession } from './linked.ts';
import { postAndDelete } from './posted.ts';

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
