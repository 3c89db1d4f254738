import type { ArchiveDownload, SessionArchive } from '../archive.ts';
import type { ErrorCode } from '../errors.ts';
import type { SendAttempt } from '../ipc.ts';
import { answersMedia, type Download, type MediaBytes, type MediaFile } from '../media.ts';
import type { HandlerInput, Operation, OperationAnswer, OperationInput } from '../operation.ts';
import { accountOperations } from './account.ts';
import { callOperations } from './calls.ts';
import { channelOperations } from './channels.ts';
import { chatChangeOperations, chatOperations } from './chats.ts';
import { contactDetailOperations } from './contact-details.ts';
import { contactOperations } from './contacts.ts';
import { eventTicketOperations } from './event-tickets.ts';
import { groupDetailsOperations, groupPictureOperations } from './group-details.ts';
import { groupInviteOperations } from './group-invites.ts';
import { groupOperations } from './groups.ts';
import { hostOperations } from './host.ts';
import { accessOperations, keyOperations } from './keys.ts';
import { labelOperations } from './labels.ts';
import { linkingOperations } from './linking.ts';
import { messageQueryOperations } from './message-queries.ts';
import { forwardingOperations, messageOperations } from './messages.ts';
import { sessionOperations } from './sessions.ts';
import { statusFeedOperations } from './status-feed.ts';
import { webhookOperations } from './webhooks.ts';

/** What the gateway answers without a worker. */
const gatewayOperations = {
  ...sessionOperations,
  ...accessOperations,
  ...keyOperations,
  ...webhookOperations,
  ...hostOperations,
  ...eventTicketOperations,
} as const;

/**
 * What a session's worker answers; the gateway forwards it, and refuses it unless the session is ready, or for
 * `requestPairingCode` unless it is to be linked.
 */
export const workerOperations = {
  ...linkingOperations,
  ...messageOperations,
  ...messageQueryOperations,
  ...forwardingOperations,
  ...chatOperations,
  ...chatChangeOperations,
  ...labelOperations,
  ...groupOperations,
  ...groupDetailsOperations,
  ...groupInviteOperations,
  ...groupPictureOperations,
  ...contactOperations,
  ...contactDetailOperations,
  ...statusFeedOperations,
  ...accountOperations,
  ...channelOperations,
  ...callOperations,
} as const;

/**
 * The spine: every operation by its one name, used for the route, the IPC call, the handler and the client's method.
 */
export const operations = { ...gatewayOperations, ...workerOperations } as const;

/** The operations by what they are about, as the reference lists them. */
export const operationGroups = {
  Sessions: { ...sessionOperations, ...linkingOperations },
  Messages: { ...messageOperations, ...messageQueryOperations, ...forwardingOperations },
  Groups: { ...groupOperations, ...groupDetailsOperations, ...groupInviteOperations, ...groupPictureOperations },
  Chats: { ...chatOperations, ...chatChangeOperations },
  Labels: labelOperations,
  Contacts: { ...contactOperations, ...contactDetailOperations },
  'Status feed': statusFeedOperations,
  Account: accountOperations,
  Channels: channelOperations,
  Calls: callOperations,
  Webhooks: webhookOperations,
  Keys: { ...keyOperations, ...accessOperations },
  Host: hostOperations,
  Events: eventTicketOperations,
} as const;

export type Operations = typeof operations;
export type OperationName = keyof Operations;
export type GatewayOperationName = keyof typeof gatewayOperations;
export type WorkerOperationName = keyof typeof workerOperations;

/** What a caller writes for an operation. */
export type InputOf<N extends OperationName> = OperationInput<Operations[N]>;
export type AnswerOf<N extends OperationName> = OperationAnswer<Operations[N]>;

/** How a call is carried out: whether its message can be found again, and by which id. */
export interface Attempt extends Partial<SendAttempt> {
  /** To be called with the id of a message that is handed to the network, if it is chosen or the network is slow. */
  onSending(id: string): void;
}

/**
 * A handler for each operation named: one that is missing or has another shape does not compile. `Call`: what a handler
 * gets besides its input.
 */
export type Handlers<N extends OperationName, Call = unknown> = {
  readonly [K in N]: (input: HandlerInput<Operations[K]>, call: Call) => Promise<AnswerOf<K>> | AnswerOf<K>;
};

/** Options of one call of a client's method. */
export interface CallOptions {
  /** Ends the call: it rejects with the signal's reason, as `fetch` does. Whether it was carried out is then unknown. */
  readonly signal?: AbortSignal | undefined;
  /** How long the call may take, retries included. Default: the operation's own limit, and 30 s for retries. */
  readonly timeoutMs?: number | undefined;
  /** How often it is tried again where that is safe. Default: that of the client. 0: never. */
  readonly retries?: number | undefined;
}

/** Options of a call that sends something. */
export interface KeyedOptions extends CallOptions {
  /**
   * 1 to 255 printable ASCII characters, such as a UUID. Repeated with the same key and input, the operation is carried
   * out once, over crashes of everything. Default: a key for each call, so that its retries send once.
   */
  readonly idempotencyKey?: string | undefined;
}

type Options<K extends OperationName> = Operations[K] extends { readonly keyed: object } ? KeyedOptions : CallOptions;

/** An input whose `base64` may be bytes. */
type WithBytes<I> = I extends { readonly base64?: string | undefined }
  ? Omit<I, 'base64'> & { readonly base64?: string | MediaBytes | undefined }
  : I;

/** Returns the id; with `results: true` also the result for each person. */
interface CreateGroup {
  (
    input: InputOf<'createGroup'> & { readonly results: true },
    options?: Options<'createGroup'>,
  ): Promise<Exclude<AnswerOf<'createGroup'>, string>>;
  (
    input: InputOf<'createGroup'> & { readonly results?: false | undefined },
    options?: Options<'createGroup'>,
  ): Promise<string>;
}

/** A method for each operation: what a client of the gateway offers. Media come as a stream. */
export type OperationMethods = {
  readonly [K in Exclude<OperationName, 'createGroup'>]: (
    ...input: keyof InputOf<K> extends never
      ? [input?: Readonly<Record<string, never>>, options?: Options<K>]
      : Record<string, never> extends InputOf<K>
        ? [input?: WithBytes<InputOf<K>>, options?: Options<K>]
        : [input: WithBytes<InputOf<K>>, options?: Options<K>]
  ) => Promise<
    SessionArchive extends AnswerOf<K>
      ? ArchiveDownload
      : MediaFile extends AnswerOf<K>
        ? Download | Exclude<AnswerOf<K>, MediaFile>
        : AnswerOf<K>
  >;
} & { readonly createGroup: CreateGroup };

/** True if a worker answers the operation. */
export function isWorkerOperation(name: string): name is WorkerOperationName {
  return Object.hasOwn(workerOperations, name);
}

/** Errors that rows do not list, because operations of a kind share them. */
export const SHARED_ERRORS = {
  all: ['invalid_request', 'unauthorized', 'rate_limited', 'forbidden', 'insufficient_scope', 'internal_error'],
  withMedia: ['range_not_satisfiable'],
  withBody: ['request_timeout', 'body_too_large', 'unsupported_media_type'],
  ofWorker: ['page_unsupported', 'insufficient_resources', 'shutting_down'],
  sending: ['recipient_not_allowed'],
  keyed: ['idempotency_in_progress', 'idempotency_key_reused'],
} as const satisfies Record<string, readonly ErrorCode[]>;

export function errorsOf(name: OperationName, operation: Operation): readonly ErrorCode[] {
  const hasBody = operation.body || operation.optionalBody || operation.archive === 'taken';
  return [
    ...SHARED_ERRORS.all,
    ...(answersMedia(operation) ? SHARED_ERRORS.withMedia : []),
    ...(hasBody ? SHARED_ERRORS.withBody : []),
    ...(isWorkerOperation(name) ? SHARED_ERRORS.ofWorker : []),
    ...(operation.scope === 'send' ? SHARED_ERRORS.sending : []),
    ...(operation.keyed ? SHARED_ERRORS.keyed : []),
    ...operation.errors,
  ];
}
