import type { GatewayAddress } from '@chat-web/host';
import type { Download, Message, OperationMethods } from '@chat-web/protocol';
import type { SessionEvents } from './events.ts';
import { grouped, type Outcome, type Report } from './report.ts';
import type { Sample } from './samples.ts';

/** A linked session that is ready, and everything that its checks need. */
export interface LinkedSession {
  readonly report: Report;
  readonly address: GatewayAddress;
  /** Its calls end when the run is interrupted. */
  readonly client: OperationMethods;
  readonly id: string;
  /** The account's own number, as digits. */
  readonly phone: string;
  readonly events: SessionEvents;
  readonly signal: AbortSignal;
}

/** The part of a message's id that is the same on both sides. */
export function messageKey({ id }: Pick<Message, 'id'>): string {
  return id.split('_')[2] ?? '';
}

/** The answer to a send as a message: only a reaction is answered in another form. */
export function asMessage(answer: Awaited<ReturnType<OperationMethods['sendMessage']>>): Message {
  if ('timestamp' in answer) return answer;
  throw new Error('the gateway responded to a message as if it were a reaction');
}

export async function compareDownload(
  client: OperationMethods,
  message: { readonly id: string; readonly messageId: string },
  { bytes, isReencoded }: Sample,
): Promise<Outcome> {
  const got = await downloadedBytes(await client.getMedia(message));
  if (Buffer.compare(got, bytes) === 0) return `${grouped(bytes.length)} bytes, equal`;
  const detail = `${grouped(got.length)} bytes instead of the ${grouped(bytes.length)} sent`;
  if (isReencoded && got.length > 0)
    return { result: 'note', detail: `${detail}: the page re-encodes this kind of file` };
  return { result: 'fail', detail, todo: 'open an issue with the --json output' };
}

export async function downloadedBytes(download: Download): Promise<Uint8Array> {
  return new Uint8Array(await new Response(download.data).arrayBuffer());
}
