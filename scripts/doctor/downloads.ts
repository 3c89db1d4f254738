import type { Download, OperationMethods } from '@chat-web/protocol';
import { grouped } from './figures.ts';
import type { Outcome } from './report.ts';
import type { Sample } from './samples.ts';

/** Compares a downloaded file with what was sent. */
export async function compareDownload(
  client: OperationMethods,
  message: { readonly id: string; readonly messageId: string },
  { bytes, isReencoded }: Sample,
): Promise<Outcome> {
  const got = await bytesOf(await client.getMedia(message));
  if (Buffer.compare(got, bytes) === 0) return `${grouped(bytes.length)} bytes, equal`;
  const detail = `${grouped(got.length)} bytes instead of the ${grouped(bytes.length)} sent`;
  if (isReencoded && got.length > 0)
    return { result: 'note', detail: `${detail}: the page re-encodes this kind of file` };
  return { result: 'fail', detail, todo: 'open an issue with the --json output' };
}

/** All bytes of a download. */
export async function bytesOf(download: Download): Promise<Uint8Array> {
  return new Uint8Array(await new Response(download.data).arrayBuffer());
}
