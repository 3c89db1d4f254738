import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  familyOf,
  isAlive,
  killProcess,
  listProcesses,
  type Process,
  spawnGateway,
  tokenHash,
} from '@chat-web/gateway/tools';
import type { GatewayAddress } from '@chat-web/host';
import { settledWithin } from '@chat-web/protocol';

/** Longer than a gateway takes to stop, including sends in progress. */
const END_TIMEOUT_MS = 30_000;
const GONE_TIMEOUT_MS = 5_000;
const LOOK_MS = 100;
/** Files that would give the gateway another token, and addresses, files and the cluster of the other gateway. */
const NOT_PASSED_ON = /^CHAT_WEB_((TOKEN|ENV|AUDIT)_FILE|SOCKET(_MODE|_GROUP)?|TLS_(CERT|KEY)|CLUSTER_\w+)$/;

export interface OwnGateway {
  readonly address: GatewayAddress;
  /** Stops it, and kills its remaining processes. Returns how many processes had to be killed. Never rejects. */
  end(): Promise<number>;
}

/**
 * Starts a gateway with the operator's settings on loopback, at a free port, with its own token. Saved sessions are not
 * started. `settings` take precedence. If it does not start, rejects with its output.
 */
export async function startOwnGateway(
  env: NodeJS.ProcessEnv,
  settings: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<OwnGateway> {
  const given = Object.entries(env).filter(([name]) => name.startsWith('CHAT_WEB_') && !NOT_PASSED_ON.test(name));
  const token = randomBytes(24).toString('hex');
  const all = {
    ...(Object.fromEntries(given) as Record<string, string>),
    CHAT_WEB_HOST: '127.0.0.1',
    CHAT_WEB_PORT: '0',
    // A user's other processes can read the environment.
    CHAT_WEB_TOKEN: tokenHash(token),
    CHAT_WEB_AUTO_START_SESSIONS: 'false',
    // Its log has its address; only the service has a delegated cgroup.
    CHAT_WEB_LOG_LEVEL: 'info',
    CHAT_WEB_CGROUPS: 'false',
    ...settings,
  };
  const gateway = await spawnGateway(all, { detached: true, endsWithUs: true, signal });
  return {
    address: { url: gateway.url, token },
    end: async () => {
      const family = await familyOfPid(gateway.pid);
      const isEnded = await settledWithin(gateway.end(), END_TIMEOUT_MS);
      if (!isEnded) return endByForce([...family, ...(await familyOfPid(gateway.pid))]);
      for (const deadline = Date.now() + GONE_TIMEOUT_MS; family.some(isAlive) && Date.now() < deadline; )
        await delay(LOOK_MS);
      return endByForce(family);
    },
  };
}

async function familyOfPid(pid: number): Promise<Process[]> {
  const all = await listProcesses();
  return familyOf(
    all.filter((process) => process.pid === pid),
    all,
  );
}

function endByForce(family: readonly Process[]): number {
  return family.filter((process) => killProcess(process)).length;
}
