import { encodeB64 } from '../base64.ts';

const MAX_ATTEMPTS = 3;
const RETRY_DELAY_MS = 500;

/** The media server does not have it (404), or its answer is invalid. */
export class MediaServerError extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`the media server answered ${status}`);
    this.name = status === 404 ? 'MediaNotFoundError' : 'HttpStatusCodeError';
    this.status = status;
  }
}

/** The path of an uploaded file, and its keys. */
interface UploadedFile {
  readonly directPath: string;
  readonly url: string;
  readonly mediaKey: string;
  readonly mediaKeyTimestamp: number;
  readonly encFilehash: string;
}

/** The page's client for the media server. Bytes are sent unchanged: encryption is not simulated. */
class MediaServer {
  /** The requesting device; the server refuses one that is disconnected from the network. */
  deviceId: () => string | undefined = () => undefined;

  /** Retries a few times, then rejects with the last error. */
  async upload(blob: Blob, type: string, mediaKey = encodeB64(crypto.getRandomValues(new Uint8Array(32)))) {
    const response = await this.#ask(`/mms/${type}`, { method: 'POST', body: blob });
    const { directPath } = (await response.json()) as { directPath: string };
    const encrypted = new TextEncoder().encode(mediaKey + directPath);
    const uploaded: UploadedFile = {
      directPath,
      url: `https://mmg.whatsapp.net${directPath}`,
      mediaKey,
      mediaKeyTimestamp: Math.floor(Date.now() / 1000),
      encFilehash: encodeB64(await crypto.subtle.digest('SHA-256', encrypted)),
    };
    return uploaded;
  }

  /** The bytes, which the browser may keep on disk. */
  async fetch(directPath: string): Promise<Blob> {
    return (await this.#ask(directPath)).blob();
  }

  async #ask(path: string, init?: RequestInit): Promise<Response> {
    const url = `${path}?device=${encodeURIComponent(this.deviceId() ?? '')}`;
    for (let attempt = 1; ; attempt += 1) {
      try {
        const response = await fetch(url, init);
        if (!response.ok) throw new MediaServerError(response.status);
        return response;
      } catch (error) {
        if (error instanceof MediaServerError || attempt === MAX_ATTEMPTS) throw error;
        await new Promise((resolve) => setTimeout(resolve, RETRY_DELAY_MS));
      }
    }
  }
}

export const mediaServer = new MediaServer();
