import { statSync } from 'node:fs';
import { type Config, isHash, isInCluster } from '@chat-web/gateway/tools';
import { ask, createClient, type GatewayAddress } from '@chat-web/host';
import { gatewayAddress } from '@chat-web/host/node';
import { startOwnGateway } from '../own-gateway.ts';
import { adviceFor, causeText } from './advice.ts';
import type { RunOptions } from './arguments.ts';
import type { Report } from './report.ts';

export interface LiveGateway {
  readonly address: GatewayAddress;
  /** True if doctor started it, because none answered. */
  readonly isOwn: boolean;
  /** Ends it if doctor started it. Returns how many processes had to be killed. */
  end(): Promise<number>;
}

const HEALTH_TIMEOUT_MS = 5_000;

/** The running gateway, or one that is started on the operator's data folder. Undefined if neither works. */
export async function findGateway(
  report: Report,
  { options, config, env, signal }: RunOptions,
): Promise<LiveGateway | undefined> {
  const url = options.gateway ?? urlOf(config);
  // A hash gives no access: without the token itself, the advice for `unauthorized` says what is needed.
  const token = config.token !== undefined && isHash(config.token) ? undefined : config.token;
  const address = gatewayAddress({ url, token });
  let found: LiveGateway | undefined;
  await report.check('gateway', async () => {
    const silence = await whySilent(url);
    if (silence === undefined) {
      await createClient(address).listSessions();
      found = { address, isOwn: false, end: async () => 0 };
      return `answers at ${url}`;
    }
    if (options.gateway !== undefined)
      return { result: 'fail', detail: `${url} does not respond as a gateway (${silence})`, todo: 'check --gateway' };
    const owner = otherOwnerOf(config.dataDir);
    if (owner !== undefined) {
      const detail = `no gateway responds at ${url}, and ${config.dataDir} belongs to another user (${owner})`;
      return { result: 'fail', detail, todo: 'start the gateway, or run doctor as that user' };
    }
    // Its address and token would not be those that the other hosts know.
    if (isInCluster(config)) {
      const todo = 'start the gateway, or pass its address with --gateway';
      return { result: 'fail', detail: `no gateway of the cluster responds at ${url}`, todo };
    }
    try {
      const own = await startOwnGateway(env, { CHAT_WEB_DATA_DIR: config.dataDir }, signal);
      found = { ...own, isOwn: true };
      return `no gateway responds at ${url}: started one on ${config.dataDir}`;
    } catch (error) {
      if (signal.aborted) throw error;
      const detail = `no gateway responds at ${url}, and none could be started: ${said(error)}`;
      const isInUse = /in use by another gateway/.test(said(error));
      const todo = isInUse ? 'pass the address of the running gateway with --gateway' : adviceFor(error);
      return { result: 'fail', detail, todo };
    }
  });
  return found;
}

/** The owner of a folder that is not ours: the service could not read what our gateway writes there. */
function otherOwnerOf(folder: string): number | undefined {
  const uid = statSync(folder, { throwIfNoEntry: false })?.uid;
  return uid === process.getuid?.() ? undefined : uid;
}

function urlOf({ host, port, tls, socket }: Config): string {
  if (port === undefined) return `unix:${socket?.path}`;
  const reached = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `${tls ? 'https' : 'http'}://${reached.includes(':') ? `[${reached}]` : reached}:${port}`;
}

/** Why no gateway answers there; undefined if one does. */
async function whySilent(url: string): Promise<string | undefined> {
  try {
    const response = await ask(gatewayAddress({ url }), '/health', { signal: AbortSignal.timeout(HEALTH_TIMEOUT_MS) });
    const answer: unknown = await response.json();
    const isHealth = typeof answer === 'object' && answer !== null && 'sessions' in answer;
    return isHealth ? undefined : 'another service answers';
  } catch (error) {
    return causeText(error);
  }
}

/** What a gateway that did not start printed for people; its log is for programs. */
function said(error: unknown): string {
  const lines = error instanceof Error ? error.message.split('\n') : [String(error)];
  return lines.filter((line) => !line.startsWith('{')).join(': ');
}
