import { type Config, clusterStatus, clusterUrlsOf, type HostStatus, isInCluster } from '@chat-web/gateway/tools';
import { ask } from '@chat-web/host';
import { gatewayAddress } from '@chat-web/host/node';
import { errorText } from '@chat-web/protocol';
import { causeText } from './advice.ts';
import type { Outcome, Report } from './report.ts';

const TIMEOUT_MS = 5_000;
/** Between the clocks of two hosts, more than 60 s make forwarded requests invalid. */
const [MUCH_MS, TOO_MUCH_MS] = [2_000, 30_000];

/** Checks the cluster, if this host belongs to one: its database, its clock, and the way to the other gateways. */
export async function checkHosts(report: Report, config: Config, signal: AbortSignal): Promise<void> {
  if (!isInCluster(config)) return;
  let hosts: readonly HostStatus[] = [];
  await report.check('database of the cluster', async () => {
    try {
      const found = await clusterStatus((await clusterUrlsOf(config))?.join(',') ?? '');
      hosts = found.hosts;
      return clock(found.clockAheadMs);
    } catch (error) {
      const todo = 'check CHAT_WEB_CLUSTER_URL, and whether the database accepts this host (docs/hosts.md)';
      return { result: 'fail', detail: errorText(error), todo };
    }
  });
  for (const host of hosts) await report.check(`host ${host.name}`, () => reached(host, signal));
}

function clock(aheadMs: number): Outcome {
  const seconds = (Math.abs(aheadMs) / 1_000).toFixed(1);
  if (Math.abs(aheadMs) < MUCH_MS) return `answers; its clock differs from that of this host by ${seconds} s`;
  return {
    result: Math.abs(aheadMs) < TOO_MUCH_MS ? 'warn' : 'fail',
    detail: `its clock is ${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} that of this host`,
    todo: 'synchronize the clocks of all hosts: they refuse forwarded requests if two differ by a minute',
  };
}

async function reached({ state, address, silentSeconds }: HostStatus, signal: AbortSignal): Promise<Outcome> {
  if (state === 'lost')
    return {
      result: 'warn',
      detail: `lost, last beat ${silentSeconds} s ago`,
      todo: 'start its gateway; if its machine is gone, see docs/hosts.md',
    };
  if (state !== 'live' || address === undefined) return { result: 'skip', detail: 'its gateway does not run' };
  try {
    const ends = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
    const response = await ask(gatewayAddress({ url: address }), '/health/front', { signal: ends });
    await response.body?.cancel();
    if (!response.ok) throw new Error(`status ${response.status}`);
    return `answers at ${address}`;
  } catch (error) {
    return {
      result: 'fail',
      detail: `does not answer at ${address} (${causeText(error)})`,
      todo: 'open its port to this host, or set CHAT_WEB_HOST or CHAT_WEB_CLUSTER_ADDRESS there',
    };
  }
}
