import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { errorText, GatewayError } from '@chat-web/protocol';
import * as v from 'valibot';
import type { Config } from '../config.ts';
import { ConfigError } from '../config-error.ts';
import { readFirstLine } from '../host/text-files.ts';
import type { Log } from '../log.ts';
import { clusterUrls } from '../settings.ts';
import type { Cluster } from './cluster.ts';
import { HOST_FILE } from './host-file.ts';
import { Member } from './member.ts';

const MAX_FILE_BYTES = 4_096;

async function noCluster(): Promise<never> {
  throw new GatewayError('host_not_found', 'this gateway is not part of a cluster (CHAT_WEB_CLUSTER_URL)');
}

/** A gateway on its own. */
export const standalone: Cluster = {
  isAlone: true,
  hostName: undefined,
  waitForFolder: async () => {},
  claim: async () => {},
  mayRun: async () => {},
  gatewayTimeoutMs: undefined,
  begin: async () => [],
  ownerOf: async () => undefined,
  refresh: async () => {},
  allViews: (own) => own,
  foreignView: () => undefined,
  signHop: () => '',
  verifyHop: async () => undefined,
  events: () => undefined,
  unshipped: { records: 0, ms: 0 },
  shipped: async () => true,
  keyStore: () => undefined,
  webhooks: () => undefined,
  webhooksAt: () => undefined,
  refreshWebhooks: async () => {},
  hosts: async () => [],
  host: noCluster,
  drain: noCluster,
  remove: noCluster,
  numbersElsewhere: () => [],
  rebalance: async () => [],
  moves: async () => [],
  move: noCluster,
  isMoving: () => false,
  moved: async () => true,
  mayTake: async () => false,
  confirmOff: noCluster,
  release: async () => {},
};

export async function openCluster(config: Config, log: Log): Promise<Cluster> {
  const urls = await clusterUrlsOf(config);
  if (urls !== undefined) return Member.open(config, urls, log);
  if (existsSync(join(config.dataDir, HOST_FILE)))
    throw new ConfigError([
      'CHAT_WEB_CLUSTER_URL must be set: CHAT_WEB_DATA_DIR belongs to a host of a cluster, and another gateway may run its sessions',
    ]);
  return standalone;
}

/** Undefined without a cluster. Rejects with a ConfigError if they are in a file that cannot be used. */
export async function clusterUrlsOf({
  clusterUrls: urls,
  clusterUrlFile: path,
}: Pick<Config, 'clusterUrls' | 'clusterUrlFile'>): Promise<readonly string[] | undefined> {
  if (path === undefined) return urls;
  try {
    return v.parse(clusterUrls, await readFirstLine(path, MAX_FILE_BYTES));
  } catch (error) {
    throw new ConfigError([`CHAT_WEB_CLUSTER_URL_FILE ${errorText(error)}`]);
  }
}
