import { encodeB64 } from './base64.ts';
import type { Credentials } from './credentials.ts';
import { conn, socket } from './models/conn.ts';
import { switches } from './switches.ts';

/** The kind of client that requests a link: the last part of the QR. */
export const DEVICE_PLATFORM = '1';

/** The current text of the QR; undefined while there is nothing to scan. */
export function currentQr(credentials: Credentials): string | undefined {
  const ref = conn.get('ref');
  if (ref === undefined || socket.get('state') !== 'UNPAIRED') return undefined;
  const keys = [encodeB64(credentials.noiseKey), encodeB64(credentials.identityKey), credentials.advSecret];
  return [ref, ...keys, DEVICE_PLATFORM].join(',');
}

/** Shows the QR on the screen, with its text in `data-ref`, and the state of the connection beside it. */
export function showState(credentials: () => Credentials): void {
  const show = () => {
    const qr = currentQr(credentials());
    const image = document.createElement('img');
    image.alt = 'Scan this QR code to link a device';
    if (qr) image.src = `/qr.svg?text=${encodeURIComponent(qr)}`;
    const frame = document.createElement('div');
    if (qr) frame.dataset.ref = qr;
    if (switches.testIds) frame.dataset.testid = 'link-device-qr-code';
    frame.append(...(qr ? [image] : []));
    const state = document.createElement('p');
    state.textContent = socket.get('state') ?? '';
    document.getElementById('app')?.replaceChildren(state, frame);
  };
  socket.on('change:state', show);
  conn.on('change:ref', show);
  show();
}
