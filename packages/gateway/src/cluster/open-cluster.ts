import { errorText, GatewayError } from '@chat-web/protocol';
import * as v from 'valibot';
import type { Config } from '../config.ts';
import { ConfigError } from '../config-error.ts';
import { readNamedText } from '../host/text-files.ts';
import type { Log } from '../log.ts';
import { clusterUrls } from '../settings.ts';
import type { Cluster } from './cluster.ts';
import { Member } from './member.ts';

const MAX_FILE_BYTES = 4_096;

/** A gateway on its own. */
export const standalone: Cluster = {
  isAlone: true,
  claim: async () => {},
  begin: async () => [],
  ownerOf: async () => undefined,
  refresh: async () => {},
  foreignViews: () => [],
  foreignView: () => undefined,
  name: undefined,
  signHop: () => '',
  verifyHop: async () => undefined,
  keyStore: () => undefined,
  hosts: async () => [],
  confirmOff: async () => {
    throw new GatewayError('host_not_found', 'this gateway is not part of a cluster (CHAT_WEB_CLUSTER_URL)');
  },
  release: async () => {},
};

export async function openCluster(config: Config, log: Log): Promise<Cluster> {
  const urls = config.clusterUrls ?? (await writtenUrls(config.clusterUrlFile));
  return urls === undefined ? standalone : Member.open(config, urls, log);
}

async function writtenUrls(path: string | undefined): Promise<readonly string[] | undefined> {
  if (path === undefined) return undefined;
  try {
    const [line = ''] = (await readNamedText(path, MAX_FILE_BYTES)).split('\n');
    return v.parse(clusterUrls, line);
  } catch (error) {
    throw new ConfigError([`CHAT_WEB_CLUSTER_URL_FILE ${errorText(error)}`]);
  }
}
