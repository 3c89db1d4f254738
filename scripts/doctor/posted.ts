import { createClient } from '@chat-web/host';
import type { Message, OperationMethods } from '@chat-web/protocol';
import type { LinkedSession } from './linked.ts';
import type { Outcome } from './report.ts';
import { Interrupted } from './wait.ts';

/**
 * Posts something that others see, and deletes it for everyone however the run ends. Neither call is interrupted,
 * because the post would stay.
 */
export async function postAndDelete(
  { report, address, id, signal }: LinkedSession,
  check: string,
  post: (client: OperationMethods) => Promise<Message>,
  judge: (posted: Message) => Promise<Outcome> | Outcome = () => '',
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
