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
import type { Needs } from '../events/request-journal.ts';
import type { NewRecord } from '../journal/frame.ts';
import type { Progress, WebhookProgress } from './webhook-progress.ts';

export const MAX_WEBHOOKS = 100;
const MAX_NAMES = 100;
export const MAX_FORMER_SECRETS = 5;
const MAX_SECRET_LENGTH = 200;
/** The owner of the webhooks of a gateway without a token: the id of each of its callers. */
export const OPEN = 'open';

const { chats, from, reason, createdAt } = webhookView.entries;
const secret = v.pipe(v.string(), v.maxLength(MAX_SECRET_LENGTH));

/** A stored webhook: its subscription, its secrets and its credentials. Its progress is stored apart. */
export const storedWebhook = v.object({
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

/** Where webhooks are stored, with how far they are and their dead letters. */
export interface WebhookStore {
  load(): Promise<readonly StoredWebhook[]>;
  /** Of those that were loaded, as it was stored last. */
  readonly progress: Pick<WebhookProgress, 'of' | 'deadLetters' | 'deadLetter'>;
  /** Stores a new one; `all`: with it. On disk when it resolves. */
  create(webhook: StoredWebhook, progress: Progress, all: readonly StoredWebhook[]): Promise<void>;
  /** Stores one that has changed; `all`: with the change. On disk when it resolves. */
  change(webhook: StoredWebhook, all: readonly StoredWebhook[]): Promise<void>;
  /** Removes one, with its progress; `rest`: those that stay. */
  remove(webhook: StoredWebhook, rest: readonly StoredWebhook[]): Promise<void>;
  /** Stores a record of `progressNotes`. Rejects if that fails now, or exceeds the share of the webhook's owner. */
  note(webhook: StoredWebhook, record: NewRecord, needs?: Needs): Promise<void>;
  /** Throws if another gateway may deliver the webhooks by now. */
  requireOwn(): void;
}
