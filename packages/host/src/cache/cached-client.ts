import {
  type CallOptions,
  type Chat,
  changesSomething,
  type Download,
  type EventName,
  GatewayError,
  type Operation,
  type OperationMethods,
  type OperationName,
  operations,
  SECOND_MS,
  unlessAborted,
  withDeadline,
} from '@chat-web/protocol';
import { ChatListCache } from './chat-list-cache.ts';
import { PICTURE_BOUNDS, PictureCache } from './picture-cache.ts';

export interface CacheOptions {
  /** How long a list of chats is cached, in seconds; 0: not at all. Default: 3. */
  readonly chatsSeconds?: number | undefined;
  /** How long a picture, or the absence of one, is cached, in seconds; 0: not at all. Default: 1800. */
  readonly pictureSeconds?: number | undefined;
  /** The maximum size of all pictures, in bytes; 0: none are cached. Default: 64 MB. */
  readonly maxPicturesBytes?: number | undefined;
  /** The maximum size of one picture, in bytes; larger ones are not cached. Default: 1 MB. */
  readonly maxPictureBytes?: number | undefined;
}

/** A client whose `listChats` and `getPicture` are cached. */
export interface CachedClient extends OperationMethods {
  readonly cache: {
    /** Invalidates entries that an event of a listener or webhook has changed. */
    onEvent(event: CacheEvent): void;
    /** Invalidates all entries of a session, or of all sessions. */
    clear(session?: string): void;
  };
}

/** The part of an event that the cache uses; events of listeners and webhook receivers have it. */
export interface CacheEvent {
  readonly name: string;
  /** Absent: all sessions. */
  readonly session?: string | undefined;
}

type Input = Readonly<Record<string, string>>;
type Method = (input?: Input, options?: CallOptions) => Promise<unknown>;

const CHATS_SECONDS = 3;
const PICTURE_SECONDS = 1_800;
/** Events that change the list of chats, or what is shown of a chat. Most of them are opt-in. */
const OF_CHATS: readonly string[] = [
  'message',
  'message_ack',
  'message_sent',
  'message_edited',
  'message_revoked',
  'chat_updated',
  'group_joined',
  'group_left',
  'group_updated',
] satisfies readonly EventName[];
/** Operations that change the account's own picture, which callers may request by any of its ids. */
const OF_OWN_PICTURE: readonly string[] = [
  'setProfilePicture',
  'removeProfilePicture',
] satisfies readonly OperationName[];
/** Another account may be linked after these events, or meanwhile. */
const OF_SESSIONS: readonly string[] = ['ready', 'disconnected', 'qr', 'gap'] satisfies readonly EventName[];

/**
 * Adds caches to a client: lists of chats for 3 s, and profile pictures, or the absence of one, for 30 minutes.
 * Concurrent calls share one request, with the options of the client; a call that is aborted or times out leaves the
 * request to the others. Errors are not cached. Changes through this client invalidate entries at once; feed
 * `cache.onEvent` with events, so that changes by others invalidate the list of chats as well. A picture that someone
 * else changes is cached for its full time.
 *
 * A cache belongs to one gateway and one token. Pages of a list (`limit`, `after`) are not cached. The chats of a whole
 * list are frozen, since callers share them. Throws a TypeError for options that are not numbers from 0 up.
 *
 * @example
 * const client = createCachedClient(createClient(gateway));
 * const chats = await client.listChats({ id: 'main' });
 * client.cache.onEvent({ name: 'message', session: 'main' }); // From your listener.
 */
export function createCachedClient(client: OperationMethods, options: CacheOptions = {}): CachedClient {
  const chatsMs = milliseconds('chatsSeconds', options.chatsSeconds ?? CHATS_SECONDS);
  const pictureMs = milliseconds('pictureSeconds', options.pictureSeconds ?? PICTURE_SECONDS);
  const maxPicturesBytes = bytes('maxPicturesBytes', options.maxPicturesBytes ?? PICTURE_BOUNDS.all);
  const maxPictureBytes = bytes('maxPictureBytes', options.maxPictureBytes ?? PICTURE_BOUNDS.one);
  const chats = new ChatListCache(chatsMs);
  // The cache cannot have a bound of 0: it is not used then.
  const pictures = new PictureCache(pictureMs, Math.max(1, maxPicturesBytes), maxPictureBytes);

  const clear = (session?: string) => {
    chats.clear(session);
    pictures.clear(session);
  };
  const onEvent = ({ name, session }: CacheEvent) => {
    if (OF_SESSIONS.includes(name)) clear(session);
    else if (OF_CHATS.includes(name)) chats.clear(session);
  };
  const methods: Record<string, Method> = {};
  for (const [name, operation] of Object.entries<Operation>(operations)) {
    const method = client[name as OperationName] as Method;
    methods[name] = changesSomething(operation) ? clearing(name, operation, method, { clear, chats }) : method;
  }
  const listChats = methods.listChats as Method;
  const getPicture = methods.getPicture as Method;
  if (chatsMs > 0) {
    methods.listChats = (input = {}, options = {}) => {
      if (input.limit !== undefined || input.after !== undefined) return listChats(input, options);
      return waitForShared(
        options,
        chats.get(input.id ?? '', () => listChats(input) as Promise<Chat[]>),
      );
    };
  }
  if (pictureMs > 0 && maxPicturesBytes > 0) {
    methods.getPicture = (input = {}, options = {}) => {
      const own = () => getPicture(input, options) as Promise<Download | null>;
      const shared = () => getPicture(input) as Promise<Download | null>;
      return waitForShared(options, pictures.get(input.id ?? '', input.contactId ?? '', { shared, own }));
    };
  }
  return { ...client, ...methods, cache: { onEvent, clear } };
}

/** Invalidates entries when an operation has settled, even if it failed; a list being loaded may be outdated. */
function clearing(
  name: string,
  { path, scope }: Operation,
  method: Method,
  { clear, chats }: { readonly clear: (session: string) => void; readonly chats: ChatListCache },
): Method {
  if (!path.startsWith('/sessions/:id/') && path !== '/sessions/:id') return method;
  return async (input = {}, options) => {
    try {
      return await method(input, options);
    } finally {
      // Operations that manage a session may link another account.
      if (scope === 'manage' || OF_OWN_PICTURE.includes(name)) clear(input.id ?? '');
      else chats.clear(input.id);
    }
  };
}

function milliseconds(name: string, seconds: number): number {
  if (seconds >= 0 && Number.isFinite(seconds)) return seconds * SECOND_MS;
  throw new TypeError(`${name} must be a number of seconds, 0 or more`);
}

function bytes(name: string, count: number): number {
  if (Number.isSafeInteger(count) && count >= 0) return count;
  throw new TypeError(`${name} must be a whole number of bytes, 0 or more`);
}

/** Waits for shared work on behalf of one caller: its signal and its time limit end the waiting, not the work. */
function waitForShared<T>({ signal, timeoutMs }: CallOptions, work: Promise<T>): Promise<T> {
  const late = () => {
    throw new GatewayError('internal_error', `no response within ${timeoutMs} ms`, { status: null });
  };
  const limited = timeoutMs === undefined ? work : withDeadline<T, never>(work, timeoutMs, late);
  if (!signal) return limited;
  return unlessAborted(limited, signal, () => {
    throw signal.reason;
  });
}

/**
 * The options of `createCachedClient` with `CHAT_UI_CHATS_CACHE_SECONDS` (default 3; 0: no cache of chats). Throws an Error
 * that names the setting if its value is bad.
 *
 * @example
 * const client = createCachedClient(createClient(gateway), cacheOptionsFromEnv(process.env));
 */
export function cacheOptionsFromEnv(environment: Readonly<Record<string, string | undefined>>): CacheOptions {
  const written = environment.CHAT_UI_CHATS_CACHE_SECONDS?.trim();
  if (!written) return {}; // Empty counts as unset.
  const seconds = /^\d{1,4}(\.\d{1,3})?$/.test(written) ? Number(written) : Number.NaN;
  if (seconds <= MAX_SECONDS) return { chatsSeconds: seconds };
  throw new Error(`CHAT_UI_CHATS_CACHE_SECONDS must be a number of seconds from 0 to ${MAX_SECONDS}`);
}

const MAX_SECONDS = 3_600;
