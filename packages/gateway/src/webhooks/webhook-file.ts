import {
  basicAuth,
  listOf,
  sessionPattern,
  webhookHeaders,
  webhookId,
  webhookUrl,
  webhookView,
} from '@chat-web/protocol';
import * as v from 'valibot';
import type { Damage } from '../host/damage.ts';
import { readOwnText, replaceText } from '../host/text-files.ts';

const MAX_FILE_BYTES = 4_194_304;
export const MAX_WEBHOOKS = 100;
const MAX_NAMES = 100;
export const MAX_FORMER_SECRETS = 5;
const MAX_SECRET_LENGTH = 200;

const { chats, from, reason, createdAt } = webhookView.entries;
const secret = v.pipe(v.string(), v.maxLength(MAX_SECRET_LENGTH));

/** A stored webhook: its subscription, its secrets and its credentials. Its progress is in the journal. */
const storedWebhook = v.object({
  id: webhookId,
  url: webhookUrl,
  sessions: listOf(sessionPattern, MAX_NAMES),
  events: listOf(v.string(), MAX_NAMES),
  chats,
  from,
  createdAt,
  disabled: reason,
  /**
   * Who created or last changed it: a key's id, or `open` without a token. Absent: the operator. The webhook ends with
   * the access of its owner.
   */
  owner: v.optional(v.string()),
  secret,
  /** Sent to the origin of the url, and shown to nobody. */
  headers: v.optional(webhookHeaders),
  basicAuth: v.optional(basicAuth),
  /** Former secrets, newest first, and until when they still sign: Unix time in ms. */
  former: v.optional(listOf(v.object({ secret, until: v.number() }), MAX_FORMER_SECRETS)),
});
export type StoredWebhook = Readonly<v.InferOutput<typeof storedWebhook>>;

const storedWebhooks = v.object({ webhooks: listOf(storedWebhook, MAX_WEBHOOKS) });

/** Reads the stored webhooks. An unreadable file is set aside: it must neither be overwritten nor prevent the start. */
export async function readWebhooks(path: string, damage: Pick<Damage, 'setAside'>): Promise<StoredWebhook[]> {
  try {
    return v.parse(storedWebhooks, JSON.parse(await readOwnText(path, MAX_FILE_BYTES))).webhooks;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT') await damage.setAside(path, `no webhook is active: ${code ?? 'its content is invalid'}`);
    return [];
  }
}

/** Stores them: readable for this user only, and on disk when it resolves. */
export function writeWebhooks(path: string, webhooks: readonly StoredWebhook[]): Promise<void> {
  return replaceText(path, `${JSON.stringify({ webhooks }, null, 2)}\n`, { durably: true, maxBytes: MAX_FILE_BYTES });
}
