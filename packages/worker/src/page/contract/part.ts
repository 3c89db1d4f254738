import type { AccountEventName, WorkerOperationName } from '@chat-web/protocol';

/**
 * A capability of a session, which it loses if the page lacks a part: operations and events by name, some of them split
 * by kind (`sendMessage.media`). `session` is everything, `link` the QR,
 * `limits` those of the network on the account, `logout` the event that the phone has unlinked
 * the account, `networkProbe` the detection of a dead connection that the page reports as alive.
 */
export type Capability =
  | ('session' | 'link' | 'message' | 'message_ack' | 'missedMessages' | 'lateDecryption' | 'phoneNumbers')
  | ('limits' | 'logout' | 'networkProbe')
  | AccountEventName
  | ('sendMessage.text' | 'sendMessage.media' | 'sendMessage.sticker' | 'sendMessage.reply' | 'sendMessage.reaction')
  | ('sendMessage.location' | 'sendMessage.contact' | 'sendMessage.poll')
  | ('deleteMessage.status' | 'postStatus.text' | 'postStatus.media')
  | Exclude<WorkerOperationName, 'sendMessage' | 'postStatus'>;

/** One used part of a module of the page. */
export interface Part {
  /** Its kind; `any` if it may be absent at the time of the check, `field` for a field of models. */
  readonly is: 'function' | 'object' | 'string' | 'any' | 'field';
  /** The capabilities that need it. */
  readonly without: readonly Capability[];
  /** An alternative: the capabilities are lost only if both are missing. */
  readonly or?: string;
}

/** A function. */
export const fn = (...without: Capability[]): Part => ({ is: 'function', without });
/** An object. */
export const object = (...without: Capability[]): Part => ({ is: 'object', without });
/** A part that may be absent at the time of the check. */
export const unchecked = (...without: Capability[]): Part => ({ is: 'any', without });
/** A part with an alternative. */
export const either = (part: Part, or: string): Part => ({ ...part, or });

/** Every send of a message. */
export const SEND: Capability[] = [
  'sendMessage.text',
  'sendMessage.media',
  'sendMessage.sticker',
  'sendMessage.location',
  'sendMessage.contact',
  'sendMessage.poll',
];

/** The exports of a module, each once, and paths below them. */
type Parts<M> = { readonly [E in keyof M & string]-?: Part } & Readonly<
  Record<`${keyof M & string}${'' | '[]'}.${string}`, Part>
>;

/** The parts of the modules that our program calls, and of those that the library calls. */
export type Contract<M, L extends string = never> = { readonly [N in keyof M]: Parts<M[N]> } & Readonly<
  Record<L, Readonly<Record<string, Part>>>
>;
