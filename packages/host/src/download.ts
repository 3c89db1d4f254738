import { type ArchiveDownload, type Download, GatewayError } from '@chat-web/protocol';

/** The file of a response; null if there is none. */
export function downloadOf({ status, headers, body }: Response): Download | null {
  if (status === 204 || !body) return null;
  const name = /filename\*=UTF-8''([^;]+)/i.exec(headers.get('Content-Disposition') ?? '')?.[1];
  const plain = /filename="((?:[^"\\]|\\.)*)"|filename=([^;"]+)/i.exec(headers.get('Content-Disposition') ?? '');
  const filename = name ? decoded(name) : (plain?.[1]?.replace(/\\(.)/g, '$1') ?? plain?.[2]);
  return {
    data: body,
    size: Number(headers.get('Content-Length')),
    mimeType: headers.get('Content-Type') ?? 'application/octet-stream',
    ...(filename ? { filename } : {}),
  };
}

/** The archive of a response. */
export function archiveOf({ headers, body, status }: Response): ArchiveDownload {
  const contentDigest = headers.get('Content-Digest');
  if (!body || contentDigest === null)
    throw new GatewayError('internal_error', 'the gateway gave an invalid answer to exportSession', { status });
  return { data: body, size: Number(headers.get('Content-Length')), contentDigest };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
