import { disturb, type PageActions, readLastWrite } from './disturbances.ts';
import { conn, socket } from './models/conn.ts';
import { passkeyView } from './pairing.ts';
import type { PageDisturbance, PageReport } from './wire.ts';

const RETRY_DELAY_MS = 1000;
const shown = [socket, conn, passkeyView];

/**
 * Reports to the simulator what this page shows, and performs the disturbances that tests cause. Its connection is
 * separate from the network's, so that it works while that one is down.
 */
export function connectTestControl(url: string, currentQr: () => string | undefined, actions: PageActions): void {
  const control = new WebSocket(url);
  let disturbancesReceived = 0;
  const report = () => {
    if (control.readyState !== WebSocket.OPEN) return;
    control.send(JSON.stringify({ ...currentView(currentQr()), disturbancesReceived } satisfies PageReport));
  };
  control.onopen = report;
  control.onmessage = ({ data }) => {
    disturbancesReceived += 1;
    report();
    disturb(JSON.parse(String(data)) as PageDisturbance, actions);
    report();
  };
  control.onclose = () => {
    for (const model of shown) model.off('change', report);
    setTimeout(() => connectTestControl(url, currentQr, actions), RETRY_DELAY_MS);
  };
  for (const model of shown) model.on('change', report);
}

function currentView(qr: string | undefined): Omit<PageReport, 'disturbancesReceived'> {
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
