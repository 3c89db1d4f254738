import type { ChatStateName } from '../page/wire.ts';
import type { Timers } from '../timers.ts';
import type { AccountRecord, Line, Party } from './records.ts';

/** How long others see a state that is not sent again. */
const seenForMs = 25_000;

/** An account that is typing or recording in a chat. */
interface Shown {
  readonly from: AccountRecord;
  readonly to: Party;
  readonly state: Exclude<ChatStateName, 'paused'>;
  /** The connection of the page; a phone has none. */
  readonly line: Line | undefined;
  readonly forget: () => void;
}

/** Tracks who is typing or recording in each chat. */
export class ChatStates {
  readonly #timers: Timers;
  #shown: Shown[] = [];

  readonly #notify: (from: AccountRecord, to: Party, state: ChatStateName) => void;

  /** `notify` is called on each change. */
  constructor(timers: Timers, notify: (from: AccountRecord, to: Party, state: ChatStateName) => void) {
    this.#timers = timers;
    this.#notify = notify;
  }

  /** A page or a phone reports what its account does in a chat. */
  show(line: Line | undefined, from: AccountRecord, to: Party, state: ChatStateName): void {
    this.#drop((shown) => shown.from === from && shown.to === to);
    this.#notify(from, to, state);
    if (state === 'paused') return;
    const forget = this.#timers.after(seenForMs, () => this.end(from, to));
    this.#shown.push({ from, to, state, line, forget });
  }

  /** The account stops typing or recording in the chat, or has sent a message there. */
  end(from: AccountRecord, to: Party): void {
    const ended = this.#drop((shown) => shown.from === from && shown.to === to);
    if (ended.length > 0) this.#notify(from, to, 'paused');
  }

  /** The page on that line has disconnected. */
  release(line: Line): void {
    for (const { from, to } of this.#drop((shown) => shown.line === line)) this.#notify(from, to, 'paused');
  }

  /** Who is typing or recording in a chat, as `viewer` sees it. */
  seenBy(
    viewer: AccountRecord,
    chat: Party,
  ): { readonly from: AccountRecord; readonly state: 'typing' | 'recording' }[] {
    return this.#shown.filter(({ from, to }) => {
      if (from === viewer || viewer.blocked.has(from)) return false;
      return chat.kind === 'person' ? from === chat && to === viewer : to === chat;
    });
  }

  #drop(isGone: (shown: Shown) => boolean): Shown[] {
    const gone = this.#shown.filter(isGone);
    for (const { forget } of gone) forget();
    this.#shown = this.#shown.filter((shown) => !gone.includes(shown));
    return gone;
  }
}
