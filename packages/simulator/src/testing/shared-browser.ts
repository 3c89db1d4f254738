import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { type BrowserContext, type LaunchOptions, launch } from 'puppeteer';
import { browserArgs, type Certificate, createCertificate } from '../browser-args.ts';

const executablePath = process.env.CHAT_WEB_BROWSER_PATH ?? '/usr/bin/chromium';
/** Chromium has no sandbox for root. */
const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
/** Each would start another renderer for each page; drawing needs no separate process. */
const lean = [
  '--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup,SpareRendererForSitePerProcess',
  '--disable-gpu',
  '--in-process-gpu',
];

/** How tests start a browser; `args` select the simulator of its pages. */
export function launchOptions(args: readonly string[]): LaunchOptions {
  return { executablePath, args: [...args, ...lean, ...sandbox], pipe: true };
}

/** One browser for all tests of this process: starting one takes longer than most tests. It exits with the process. */
export interface SharedBrowser {
  /** The certificate that the browser accepts from a simulator. */
  readonly certificate: Certificate;
  /** A new profile, in memory, whose pages connect to the simulator on that port. Throws while another is open. */
  openProfile(port: number): Promise<BrowserContext>;
}

let started: Promise<SharedBrowser> | undefined;

/** The browser of this process, which the first call starts. */
export function sharedBrowser(): Promise<SharedBrowser> {
  started ??= start();
  return started;
}

async function start(): Promise<SharedBrowser> {
  const certificate = await createCertificate();
  const relay = await startRelay();
  const browser = await launch(launchOptions(browserArgs(relay.port, certificate.fingerprint)));
  // A crashed browser fails only the test that used it.
  browser.once('disconnected', () => {
    relay.close();
    started = undefined;
  });
  let open: BrowserContext | undefined;
  return {
    certificate,
    async openProfile(port) {
      if (open && !open.closed) throw new Error('another profile of the shared browser is open: close it first');
      relay.forwardTo(port);
      open = await browser.createBrowserContext();
      return open;
    },
  };
}

/** A fixed port for the browser; the simulator behind it changes. */
async function startRelay() {
  let target = 0;
  const server = createServer((inbound) => {
    const outbound = connect(target, '127.0.0.1');
    forward(inbound, outbound);
    forward(outbound, inbound);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  const { port } = server.address() as AddressInfo;
  return {
    port,
    forwardTo(next: number) {
      target = next;
    },
    close: () => void server.close(),
  };
}

/** Connects two sockets: each writes what the other reads, and closes with it. */
function forward(from: Socket, to: Socket): void {
  from.setNoDelay(true).pipe(to);
  from.on('error', () => to.destroy()).on('close', () => to.destroy());
}
