import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Config, pagesDirOf } from '@chat-web/gateway/tools';
import { createClient } from '@chat-web/host';
import { type OperationMethods, type SessionView, savedPageFiles } from '@chat-web/protocol';
import { type OwnGateway, startOwnGateway } from '../own-gateway.ts';
import { PIN } from './advice.ts';
import { CHECK_PIN, reportContract } from './contract.ts';
import { SessionEvents } from './events.ts';
import { type Outcome, type Report, reportEnded } from './report.ts';
import { eventually, interruptible } from './wait.ts';

export interface LoginPageOptions {
  readonly config: Config;
  readonly env: NodeJS.ProcessEnv;
  readonly quick: boolean;
  readonly signal: AbortSignal;
}

const SESSION = 'doctor';
/** The page's first QR is valid for a minute. */
const REFRESH_TIMEOUT_MS = 75_000;
const LOOKED_TIMEOUT_MS = 20_000;
const BEYOND_START_MS = 15_000;

/** Checks the login page in a session that no account is linked to. Returns the version of the page. */
export async function checkLoginPage(report: Report, options: LoginPageOptions): Promise<string | undefined> {
  const { config, env, signal } = options;
  const dataDir = await mkdtemp(join(tmpdir(), 'chat-web-doctor-'));
  const pageDir = join(dataDir, 'pages');
  const settings = { CHAT_WEB_DATA_DIR: dataDir, CHAT_WEB_PAGE_DIR: pageDir };
  let gateway: OwnGateway | undefined;
  let version: string | undefined;
  try {
    await report.check('gateway', async () => {
      const missing = await copyPinned(config, pageDir);
      if (missing !== undefined) return { result: 'fail', detail: missing, todo: CHECK_PIN };
      gateway = await startOwnGateway(env, settings, signal);
      return 'started on loopback, with a temporary data folder';
    });
    if (gateway) version = await checkSession(report, options, gateway);
  } finally {
    const left = await gateway?.end();
    await rm(dataDir, { recursive: true, force: true, maxRetries: 3 });
    if (left !== undefined) reportEnded(report, left, 'no process or folder is left');
  }
  return version;
}

/**
 * Copies the pinned page into a temporary folder: the gateway also records there what each page lacks, and the findings
 * of the login page would be wrong for other sessions. Returns why it cannot.
 */
async function copyPinned({ pageVersion, ...config }: Config, folder: string): Promise<string | undefined> {
  if (pageVersion === undefined) return undefined;
  const saved = pagesDirOf(config);
  const { html, headers } = savedPageFiles(pageVersion);
  await mkdir(folder);
  try {
    await copyFile(join(saved, html), join(folder, html));
  } catch {
    return `CHAT_WEB_PAGE_VERSION names a page that is not saved: there is no ${html} in ${saved}`;
  }
  await copyFile(join(saved, headers), join(folder, headers)).catch(() => {}); // Documents added by hand have none.
  return undefined;
}

async function checkSession(
  report: Report,
  { config, quick, signal }: LoginPageOptions,
  { address }: OwnGateway,
): Promise<string | undefined> {
  const client = interruptible(createClient(address), signal);
  let view: SessionView | undefined;
  const isShown = await report.check('qr shown', async () => {
    view = await untilQr(client, config.startTimeoutMs + BEYOND_START_MS, signal);
    return judgeStart(view);
  });
  if (isShown) {
    if (quick) report.add({ check: 'qr refreshed', result: 'skip', detail: 'skipped by --quick' });
    else await report.check('qr refreshed', () => secondQr(address, signal));
    // Not earlier, because parts of the page load late.
    const look = async () => {
      const seen = await client.getSessionStatus({ id: SESSION });
      return seen.degraded && seen;
    };
    view = await eventually(look, { timeoutMs: LOOKED_TIMEOUT_MS, signal });
  }
  if (view?.degraded) reportContract(report, view, { pinned: config.pageVersion, isLinked: false });
  else if (isShown) report.add({ check: 'page', result: 'warn', detail: 'the page did not report its version' });
  await report.check('session deleted', async () => {
    await client.deleteSession({ id: SESSION });
    return 'its data is removed';
  });
  return view?.pageVersion;
}

/** Starts the session, and waits until it shows a QR, has failed, or cannot show one. Returns its status. */
async function untilQr(client: OperationMethods, timeoutMs: number, signal: AbortSignal): Promise<SessionView> {
  const starting = client.startSession({ id: SESSION });
  starting.catch(() => {}); // Awaited below, unless it is already known that no QR will appear.
  const look = async () => {
    const view = await client.getSessionStatus({ id: SESSION }).catch(() => undefined);
    const isOver = view && (view.status !== 'starting' || view.nextAttemptAt !== undefined || lacksLink(view));
    return isOver ? view : undefined;
  };
  const view = await eventually(look, { timeoutMs, signal });
  if (view && lacksLink(view)) return view;
  await starting;
  return view ?? client.getSessionStatus({ id: SESSION });
}

function lacksLink({ degraded }: SessionView): boolean {
  return degraded?.some(({ capability }) => capability === 'link') === true;
}

function judgeStart(view: SessionView): Outcome {
  if (view.status === 'qr') return '';
  if (lacksLink(view)) return { result: 'fail', detail: 'the page lacks what a QR needs: see below' };
  const isPage = view.reason === 'PAGE_UNSUPPORTED';
  const todo = isPage ? PIN : 'check the findings above (browser, sandbox, memory, network), then the log';
  return { result: 'fail', detail: view.message ?? `no QR arrived, the session is ${view.status}`, todo };
}

async function secondQr(address: OwnGateway['address'], signal: AbortSignal): Promise<Outcome> {
  const events = await SessionEvents.open(address, SESSION, signal);
  try {
    let first: string | undefined;
    const isAnother = (qr: string) => {
      first ??= qr;
      return qr !== first;
    };
    if (await events.next('qr', isAnother, REFRESH_TIMEOUT_MS)) return 'a second one arrived';
  } finally {
    events.close();
  }
  const todo = 'a QR must be scanned within its first minute; open an issue with the --json output';
  return { result: 'fail', detail: `no second QR within ${REFRESH_TIMEOUT_MS / 1_000} s`, todo };
}
