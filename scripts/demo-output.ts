import { type GatewayAddress, openEventStream } from '@chat-web/host';
import type { EventData, EventName, SessionEvent } from '@chat-web/protocol';
import { decode as readPng } from 'fast-png';
import { decodeQR as decodeQr } from 'qr/decode.js';
import { toString as qrToString } from 'qrcode';

/** The events of a session, for steps that wait for one. */
export interface Stream {
  /** Resolves with the first event with this name that matches, past or future. */
  next<N extends EventName>(name: N, fits: (data: EventData<N>) => boolean): Promise<EventData<N>>;
}

/** A QR, drawn for a terminal, or in plain characters if the output is not a terminal. */
export function drawQr(text: string): Promise<string> {
  return process.stdout.isTTY
    ? qrToString(text, { type: 'terminal', small: true })
    : qrToString(text, { type: 'utf8' });
}

/** The text in a QR's PNG data URL, as a phone's camera would read it. */
export function readQr(dataUrl: string): string {
  const { width, height, data } = readPng(Buffer.from(dataUrl.slice(dataUrl.indexOf(',') + 1), 'base64'));
  return decodeQr({ width, height, data: data as Uint8Array });
}

/** Prints HTTP calls as curl lines to paste. */
export function showCall({ url, token }: GatewayAddress) {
  return (method: string, path: string, body?: object): void => {
    const parts = ['curl', ...(method === 'GET' ? ['-N'] : ['-X', method]), `${url}${path}`];
    if (token) parts.push('-H', `'Authorization: Bearer ${token}'`);
    if (body)
      parts.push('-H', "'Content-Type: application/json'", '-d', `'${JSON.stringify(body).replaceAll("'", `'\\''`)}'`);
    console.log(parts.join(' '));
  };
}

/** Opens a session's stream, and prints and keeps every event of it. */
export async function showEvents(address: GatewayAddress, id: string, signal: AbortSignal): Promise<Stream> {
  const past: SessionEvent[] = [];
  const waiting = new Set<(event: SessionEvent) => void>();
  const events = await openEventStream(address, id, signal);
  void (async () => {
    for await (const event of events) {
      const shown = event.name === 'qr' ? 'data:image/png;base64,…' : JSON.stringify(event.data);
      console.log(`  event ${event.name} ${shown}`);
      past.push(event);
      for (const look of waiting) look(event);
    }
  })().catch(() => {}); // The stream ends with the demo.
  return {
    next: (name, fits) =>
      new Promise((resolve) => {
        const look = (event: SessionEvent) => {
          const data = event.data as EventData<typeof name>;
          if (event.name !== name || !fits(data)) return;
          waiting.delete(look);
          resolve(data);
        };
        waiting.add(look);
        for (const event of past) look(event);
      }),
  };
}
