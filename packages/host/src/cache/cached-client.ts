import {
  type CallOptions,
  type Chat,
  changesSomething,
  type Download,
  type EventName,
  type Operation,
  type OperationMethods,
  type OperationName,
  operations,
} from '@chat-web/protocol';
import { ChatListCache } from './chat-list-cache.ts';
import { leavingOn } from './leaving.ts';
import { PICTURE_BOUNDS, PictureCache } from './picture-cache.ts';

/** Options of the caches of a client. */
export interface CacheOptions {
  /** How long a list of chats is kept, in seconds; 0: not at all. Default: 3. */
  readonly chatsSeconds?: number | undefined;
  /** How long a picture, or that there is none, is kept, in seconds; 0: not at all. Default: 1800. */
  readonly pictureSeconds?: number | undefined;
  /** The bytes of all pictures together; 0: none is kept. Default: 64 MB. */
  readonly maxPicturesBytes?: number | undefined;
  /** The bytes of one picture; a larger one is not kept. Default: 1 MB. */
  readonly maxPictureBytes?: number | undefined;
}

/** A client whose `listChats` and `getPicture` are cached. */
export interface CachedClient extends OperationMethods {
  readonly cache: {
    /** Makes void what an event of a listener or webhook has changed. */
    onEvent(event: CacheEvent): void;
    /** Makes everything void of a session, or of all. */
    clear(session?: string): void;
  };
}

/** What matters of an event here: listeners and receivers of webhooks give it. */
export interface CacheEvent {
  readonly name: string;
  /** Absent: of all sessions. */
  readonly session?: string | undefined;
}

type Input = Readonly<Record<string, string>>;
type Method = (input?: Input, options?: CallOptions) => Promise<unknown>;

const SECOND_MS = 1_000;
const CHATS_SECONDS = 3;
const PICTURE_SECONDS = 1_800;
/** They change the list of chats and what is shown of it. A reader gets most of them only if it names them. */
const OF_CHATS: readonly string[] = [
  ...(['message', 'message_ack', 'message_sent', 'message_edited', 'message_revoked', 'chat_updated'] as const),
  ...(['group_joined', 'group_left', 'group_updated'] as const),
] satisfies readonly EventName[];
/** They change the account's own picture, which callers ask for by any of its ids. */
const OF_OWN_PICTURE: readonly string[] = [
  'setProfilePicture',
  'removeProfilePicture',
] satisfies readonly OperationName[];
/** Another account may be linked afterwards, or meanwhile. */
const OF_SESSIONS: readonly string[] = ['ready', 'disconnected', 'qr', 'gap'] satisfies readonly EventName[];

/**
 * Adds caches to a client: lists of chats for 3 s, and profile pictures, or that there is none, for 30 minutes. Calls that are
 * made at the same time share one request, with the options of the client; a call that is aborted, or has no more time,
 * leaves it to the others. Errors are not kept. What is changed through this client is void at once; feed `cache.onEvent`
 * with events, and so is what others change in the list of chats. A picture that somebody else changes is kept for its time.
 *
 * A cache belongs to one gateway and one token. The chats that `listChats` answers are frozen: other callers share them.
 * Throws a TypeError for options that are no numbers from 0 up.
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
  // A cache without a bound in bytes has none: it is not asked then.
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
    methods.listChats = (input = {}, options = {}) =>
      leavingOn(
        options,
        chats.get(input.id ?? '', () => listChats(input) as Promise<Chat[]>),
      );
  }
  if (pictureMs > 0 && maxPicturesBytes > 0) {
    methods.getPicture = (input = {}, options = {}) => {
      const own = () => getPicture(input, options) as Promise<Download | null>;
      const shared = () => getPicture(input) as Promise<Download | null>;
      return leavingOn(options, pictures.get(input.id ?? '', input.contactId ?? '', { shared, own }));
    };
  }
  return { ...client, ...methods, cache: { onEvent, clear } };
}

/** What is changed by an operation is void when it has settled, well or not; a list under way may be of before. */
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
      // Managing a session may link another account.
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
