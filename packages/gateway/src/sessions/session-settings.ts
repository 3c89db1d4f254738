import {
  deviceName,
  errorText,
  GatewayError,
  hasCredentials,
  proxyOf,
  type SessionView,
  sessionId,
} from '@chat-web/protocol';
import * as v from 'valibot';
import { ConfigError } from '../config-error.ts';
import { JsonFile } from '../host/json-file.ts';
import type { MovingState } from '../journal/folds.ts';
import { Lock } from '../lock.ts';

const MAX_FILE_BYTES = 16_777_216;

const url = v.pipe(
  v.string(),
  v.check((written) => isUrl(written), 'must be the URL of a proxy, without user and password'),
);
const settings = {
  proxy: v.optional(
    v.strictObject({
      url,
      username: v.optional(v.string()),
      password: v.optional(v.string()),
      /** It had a user and a password on another gateway. */
      lacksCredentials: v.optional(v.literal(true)),
    }),
  ),
  deviceName: v.optional(deviceName),
};
const storedSettings = v.strictObject(settings);
export type StoredSettings = Readonly<v.InferOutput<typeof storedSettings>>;

const settingsOfAll = v.strictObject({ sessions: v.array(v.strictObject({ id: sessionId, ...settings })) });

/** The settings as they move: an archive has no password. */
const movingSettings = v.strictObject({
  proxy: v.optional(v.strictObject({ url, hasCredentials: v.boolean() })),
  deviceName: v.optional(deviceName),
});
type MovingSettings = v.InferOutput<typeof movingSettings>;

/** Settings as a caller gives them. Absent: as before; null: none. */
export interface AskedSettings {
  readonly proxy?: string | null | undefined;
  readonly deviceName?: string | null | undefined;
}

/**
 * How callers want each session to run. In a file of its own, not in the journal: passwords are in no record that is
 * copied, and end with the session.
 */
export class SessionSettings implements MovingState {
  readonly name = 'settings';
  readonly part = movingSettings;
  readonly #file: JsonFile<typeof settingsOfAll>;
  readonly #sessions: Map<string, StoredSettings>;
  readonly #lock = new Lock();

  private constructor(file: JsonFile<typeof settingsOfAll>, sessions: Map<string, StoredSettings>) {
    this.#file = file;
    this.#sessions = sessions;
  }

  /** Rejects with a ConfigError if the file is unreadable: sessions would start without their proxies. */
  static async load(path: string): Promise<SessionSettings> {
    const file = new JsonFile(path, settingsOfAll, MAX_FILE_BYTES);
    try {
      const { sessions = [] } = (await file.read()) ?? {};
      return new SessionSettings(file, new Map(sessions.map(({ id, ...stored }) => [id, stored])));
    } catch {
      throw new ConfigError([
        `the settings of the sessions cannot be read from ${path}: restore it from a backup, or remove it (rm -rf ${path}) and start the sessions with their proxies again`,
      ]);
    }
  }

  of(session: string): StoredSettings {
    return this.#sessions.get(session) ?? {};
  }

  /** What everyone sees who sees the session. */
  viewOf(session: string): Pick<SessionView, 'proxy' | 'deviceName'> {
    const { proxy, deviceName: name } = this.of(session);
    return {
      ...(proxy ? { proxy: { url: proxy.url, hasCredentials: hasCredentials(proxy) } } : {}),
      ...(name === undefined ? {} : { deviceName: name }),
    };
  }

  /** The settings after a change; undefined if they stay the same. */
  after(session: string, { proxy, deviceName: name }: AskedSettings): StoredSettings | undefined {
    const before = this.of(session);
    const asked = typeof proxy === 'string' ? proxyOf(proxy) : undefined;
    const isSameProxy = proxy === undefined || JSON.stringify(asked) === JSON.stringify(before.proxy);
    const after = trimmed({
      proxy: isSameProxy ? before.proxy : asked,
      deviceName: name === undefined ? before.deviceName : (name ?? undefined),
    });
    return isSameProxy && after.deviceName === before.deviceName ? undefined : after;
  }

  /** Replaces the settings of a session. 503 if they cannot be stored now. */
  set(session: string, after: StoredSettings): Promise<void> {
    return this.#lock.run(async () => {
      await this.#write(new Map([...this.#sessions, [session, after]])).catch((error: NodeJS.ErrnoException) => {
        const why = error.code ?? errorText(error);
        throw new GatewayError('insufficient_resources', `the settings of the session were not changed: ${why}`);
      });
      this.#sessions.set(session, after);
    });
  }

  /** The session is deleted, or was never linked. Never rejects: otherwise at the next start of the gateway. */
  async clear(session: string): Promise<void> {
    if (!this.#sessions.delete(session)) return;
    await this.#lock.run(() => this.#write(this.#sessions)).catch(() => {});
  }

  /** Forgets those of sessions that are not `known`. */
  async retain(known: (session: string) => boolean): Promise<void> {
    for (const id of [...this.#sessions.keys()]) if (!known(id)) await this.clear(id);
  }

  partsOf(session: string): MovingSettings[] {
    const { proxy, deviceName: name } = this.of(session);
    if (!proxy && name === undefined) return [];
    const moving = proxy && {
      url: proxy.url,
      hasCredentials: hasCredentials(proxy) || proxy.lacksCredentials === true,
    };
    return [trimmed({ proxy: moving, deviceName: name })];
  }

  /** A session that returns finds the password of the proxy that it had here. */
  async restore(session: string, { proxy, deviceName: name }: MovingSettings): Promise<void> {
    const before = this.of(session).proxy;
    const bare = proxy && { url: proxy.url, ...(proxy.hasCredentials ? { lacksCredentials: true as const } : {}) };
    const isSame = proxy?.hasCredentials === true && before?.url === proxy.url && hasCredentials(before);
    await this.set(session, trimmed({ proxy: isSame ? before : bare, deviceName: name }));
  }

  #write(sessions: ReadonlyMap<string, StoredSettings>): Promise<void> {
    return this.#file.write({ sessions: [...sessions].map(([id, stored]) => ({ id, ...stored })) });
  }
}

function isUrl(written: string): boolean {
  try {
    return proxyOf(written).url === written;
  } catch {
    return false;
  }
}

/** Without what is undefined, in one order. */
function trimmed<P>({ proxy, deviceName: name }: { proxy: P | undefined; deviceName: string | undefined }) {
  return { ...(proxy ? { proxy } : {}), ...(name === undefined ? {} : { deviceName: name }) };
}
