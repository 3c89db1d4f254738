import { listOf } from '@chat-web/protocol';
import * as v from 'valibot';
import type { Needs, RequestJournal } from '../events/request-journal.ts';
import type { Damage } from '../host/damage.ts';
import { errnoOf } from '../host/errno.ts';
import { JsonFile } from '../host/json-file.ts';
import type { NewRecord } from '../journal/frame.ts';
import { type Progress, progressNotes, type WebhookProgress } from './webhook-progress.ts';
import { MAX_WEBHOOKS, OPEN, type StoredWebhook, storedWebhook, type WebhookStore } from './webhook-store.ts';

const MAX_FILE_BYTES = 4_194_304;

const storedWebhooks = v.object({ webhooks: v.pipe(listOf(storedWebhook, MAX_WEBHOOKS), v.readonly()) });

interface Dependencies {
  readonly path: string;
  readonly damage: Pick<Damage, 'setAside' | 'counts'>;
  readonly progress: WebhookProgress;
  /** Stores a record, and charges it to the key of its webhook. Rejects if that fails now. */
  append: RequestJournal['append'];
}

/** The webhooks of a gateway on its own: in a file of its data folder, and their progress in its journal. */
export class WebhookFile implements WebhookStore {
  readonly #dependencies: Dependencies;
  readonly #file: JsonFile<typeof storedWebhooks>;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
    this.#file = new JsonFile(dependencies.path, storedWebhooks, MAX_FILE_BYTES);
  }

  get progress(): WebhookProgress {
    return this.#dependencies.progress;
  }

  /** None if the file is unreadable, which is set aside: it must neither be overwritten nor prevent the start. */
  async load(): Promise<readonly StoredWebhook[]> {
    const { damage, progress } = this.#dependencies;
    const webhooks = await this.#read();
    // The operator may restore those that were set aside: they continue where they were.
    const isWhole = !damage.counts.has('webhooks');
    const removed = isWhole ? progress.ids.filter((id) => !webhooks.some((webhook) => webhook.id === id)) : [];
    await Promise.all(removed.map((id) => this.#forget(id)));
    return webhooks;
  }

  async create(webhook: StoredWebhook, progress: Progress, all: readonly StoredWebhook[]): Promise<void> {
    await this.note(webhook, progressNotes.progress(webhook.id, progress));
    try {
      await this.#file.write({ webhooks: all });
    } catch (error) {
      await this.#forget(webhook.id);
      throw error;
    }
  }

  change(_: StoredWebhook, all: readonly StoredWebhook[]): Promise<void> {
    return this.#file.write({ webhooks: all });
  }

  async remove({ id }: StoredWebhook, rest: readonly StoredWebhook[]): Promise<void> {
    await this.#file.write({ webhooks: rest });
    await this.#forget(id);
  }

  note({ owner }: StoredWebhook, record: NewRecord, needs?: Needs): Promise<void> {
    return this.#dependencies.append(record, owner === OPEN ? undefined : owner, needs);
  }

  requireOwn(): void {}

  async #read(): Promise<readonly StoredWebhook[]> {
    const { path, damage } = this.#dependencies;
    try {
      return (await this.#file.read())?.webhooks ?? [];
    } catch (error) {
      const why = errnoOf(error) ?? 'its content is invalid';
      await damage.setAside(path, `no webhook is active: ${why}`);
      return [];
    }
  }

  /** If that fails, it is done at the next start. */
  async #forget(id: string): Promise<void> {
    await this.#dependencies.append(progressNotes.removed(id), undefined, 'nothing').catch(() => {});
  }
}
