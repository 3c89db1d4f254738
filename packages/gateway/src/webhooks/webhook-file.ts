import { basicAuth, webhookHeaders, webhookView } from '@chat-web/protocol';
import * as v from 'valibot';
import { ConfigError } from '../config-error.ts';
import { readOwnText, replaceText } from '../host/text-files.ts';

const MAX_FILE_BYTES = 16_777_216;

const { id, url, sessions, events, chats, from, reason, createdAt } = webhookView.entries;

/** A stored webhook: its subscription, its secrets and its credentials. Its progress is in the journal. */
const storedWebhook = v.object({
  id,
  url,
  sessions,
  events,
  chats,
  from,
  createdAt,
  disabled: reason,
  /**
   * Who created or last changed it: a key's id, or `open` without a token. Absent: the operator. The webhook ends with
   * the access of its owner.
   */
  owner: v.optional(v.string()),
  secret: v.string(),
  /** Sent to the origin of the url, and shown to nobody. */
  headers: v.optional(webhookHeaders),
  basicAuth: v.optional(basicAuth),
  /** Former secrets, newest first, and until when they still sign: Unix time in ms. */
  former: v.optional(v.array(v.object({ secret: v.string(), until: v.number() }))),
});
export type StoredWebhook = Readonly<v.InferOutput<typeof storedWebhook>>;

const storedWebhooks = v.object({ webhooks: v.array(storedWebhook) });

/** Reads the stored webhooks. Rejects with a ConfigError if the file is unreadable: it must not be overwritten. */
export async function readWebhooks(path: string): Promise<StoredWebhook[]> {
  try {
    return v.parse(storedWebhooks, JSON.parse(await readOwnText(path, MAX_FILE_BYTES))).webhooks;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw new ConfigError([
      `the webhooks cannot be read from ${path}: restore it from a backup, or remove it and create new webhooks`,
    ]);
  }
}

/** Stores them: readable for this user only, and on disk when it resolves. */
export function writeWebhooks(path: string, webhooks: readonly StoredWebhook[]): Promise<void> {
  return replaceText(path, `${JSON.stringify({ webhooks }, null, 2)}\n`, { durably: true });
}
