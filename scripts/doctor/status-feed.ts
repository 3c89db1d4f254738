import type { Message } from '@chat-web/protocol';
import type { LinkedSession } from './linked.ts';
import { postAndDelete } from './posted.ts';
import type { Outcome } from './report.ts';
import { makeSamples } from './samples.ts';

/** Posts a text and a picture to the status feed, and deletes them. */
export async function checkStatusFeed(session: LinkedSession): Promise<void> {
  const { id } = session;
  const body = 'A test of chat-web doctor.';
  await postAndDelete(session, 'status text', (client) => client.postStatus({ id, type: 'text', body }), judge);
  const image = makeSamples().find(({ type }) => type === 'image');
  if (!image) return;
  const file = { base64: Buffer.from(image.bytes).toString('base64'), mimeType: image.mimeType };
  await postAndDelete(session, 'status image', (client) => client.postStatus({ id, type: 'image', ...file }), judge);
}

function judge({ ack }: Message): Outcome {
  if (ack >= 1) return '';
  return { result: 'fail', detail: `ack ${ack}: the network does not have it`, todo: 'check the phone' };
}
