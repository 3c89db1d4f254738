import { parseEnv } from 'node:util';
import { errorText } from '@chat-web/protocol';
import * as v from 'valibot';
import { readNamedText } from './host/text-files.ts';
import type { LevelledLog } from './log.ts';
import { settings } from './settings.ts';

const MAX_BYTES = 1_048_576;
const { schema, fallback } = settings.logLevel;

/**
 * Reloads the log level from a file of KEY=value lines. If the file does not set it, the default applies, as after a
 * restart. On failure, logs an error and keeps the level. Never rejects.
 */
export async function reloadLogLevel(envFile: string, { log, setLevel }: LevelledLog): Promise<void> {
  try {
    const written = parseEnv(await readNamedText(envFile, MAX_BYTES)).CHAT_WEB_LOG_LEVEL?.trim() || fallback;
    const parsed = v.safeParse(schema, written);
    if (!parsed.success) throw new Error(`CHAT_WEB_LOG_LEVEL ${parsed.issues[0].message}`);
    setLevel(parsed.output);
    log.info({ logLevel: parsed.output }, 'log level set');
  } catch (error) {
    log.error({ envFile, error: errorText(error) }, 'log level not changed');
  }
}
