import { join } from 'node:path';
import { errorText } from '@chat-web/protocol';
import * as v from 'valibot';
import { ConfigError } from '../config-error.ts';
import { JsonFile } from '../host/json-file.ts';

export const HOST_FILE = 'host.json';
const MAX_BYTES = 4_096;
const hostFile = v.strictObject({
  /** The id of its row in the database. */
  host: v.pipe(v.string(), v.uuid()),
  /** How often the folder has been claimed. */
  epoch: v.pipe(v.number(), v.integer(), v.minValue(0)),
  /** Identifies a claim whose epoch has not been written yet. */
  pending: v.optional(v.pipe(v.string(), v.maxLength(100))),
});

/** Which host of a cluster a data folder belongs to. */
export type HostFile = v.InferOutput<typeof hostFile>;

const fileIn = (dataDir: string) => new JsonFile(join(dataDir, HOST_FILE), hostFile, MAX_BYTES);

/**
 * Rejects with a ConfigError if the folder has none: a disk that is not mounted must not become a new host with empty
 * sessions.
 */
export async function readHostFile(dataDir: string): Promise<HostFile> {
  const file = fileIn(dataDir);
  const found = await file.read().catch((error: unknown) => {
    throw new ConfigError([
      `${file.path} cannot be read (${errorText(error)}): its owner must be the user of the gateway. If it is damaged, remove it, and run "chat-web cluster adopt"`,
    ]);
  });
  if (found) return found;
  throw new ConfigError([
    `${dataDir} does not belong to a host of the cluster: check that its disk is mounted; for a new host, run "chat-web cluster join"`,
  ]);
}

export function writeHostFile(dataDir: string, file: HostFile): Promise<void> {
  return fileIn(dataDir).write(file);
}
