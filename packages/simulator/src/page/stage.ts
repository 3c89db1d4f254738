import { type CueActions, play } from './cues.ts';
import { readLastWrite } from './last-write.ts';
import { conn } from './models/conn.ts';
import { passkeyView } from './models/passkey-view.ts';
import { socket } from './models/socket.ts';
import type { PageReport, StageCue } from './wire.ts';

const retryDelayMs = 1000;
/** The models that a report shows. */
const shown = [socket, conn, passkeyView];

/**
 * Reports to the simulator what this page shows, and performs the cues of tests in it. Its connection is separate from
 * the network's, so that it works while that one is down.
 */
export function joinStage(url: string, currentQr: () => string | undefined, actions: CueActions): void {
  const stage = new WebSocket(url);
  let cuesTaken = 0;
  const report = () => {
    if (stage.readyState !== WebSocket.OPEN) return;
    stage.send(JSON.stringify({ ...look(currentQr()), cuesTaken } satisfies PageReport));
  };
  stage.onopen = report;
  stage.onmessage = ({ data }) => {
    cuesTaken += 1;
    report();
    play(JSON.parse(String(data)) as StageCue, actions);
    report();
  };
  stage.onclose = () => {
    for (const model of shown) model.off('change', report);
    setTimeout(() => joinStage(url, currentQr, actions), retryDelayMs);
  };
  for (const model of shown) model.on('change', report);
}

function look(qr: string | undefined): Omit<PageReport, 'cuesTaken'> {
  const number = conn.get('wid')?.user;
  const lastWrite = readLastWrite();
  const passkeyScreen = passkeyView.get('screen');
  return {
    socketState: socket.get('state') ?? 'OPENING',
    hasSynced: socket.get('hasSynced') ?? false,
    // The passkey screen covers the QR.
    qr: passkeyScreen === undefined ? qr : undefined,
    passkeyScreen,
    verificationCode: passkeyView.get('code'),
    number,
    lastWrite,
    browser: { userAgent: navigator.userAgent, brands: brands() },
  };
}

function brands(): string[] {
  const { userAgentData } = navigator as { userAgentData?: { brands: readonly { brand: string }[] } };
  return (userAgentData?.brands ?? []).map(({ brand }) => brand);
}
