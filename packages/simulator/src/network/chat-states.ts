import type { ChatStateName } from '../page/wire.ts';
import type { Timers } from '../timers.ts';
import type { AccountRecord, Line, Party } from './records.ts';

/** How long others see a state that is not repeated. */
const seenForMs = 25_000;

/** Somebody who types or records in a chat. */
interface Shown {
  readonly from: AccountRecord;
  readonly to: Party;
  readonly state: Exclude<ChatStateName, 'paused'>;
  /** The page's; a phone has none. */
  readonly line: Line | undefined;
  readonly forget: () => void;
}

/** Who types, and who records a voice note. */
export class ChatStates {
  readonly #timers: Timers;
  #shown: Shown[] = [];

  readonly #tell: (from: AccountRecord, to: Party, state: ChatStateName) => void;

  /** `tell` is called with each change. */
  constructor(timers: Timers, tell: (from: AccountRecord, to: Party, state: ChatStateName) => void) {
    this.#timers = timers;
    this.#tell = tell;
  }

  /** A page, or a phone, says what its account does in a chat. */
  show(line: Line | undefined, from: AccountRecord, to: Party, state: ChatStateName): void {
    this.#drop((shown) => shown.from === from && shown.to === to);
    this.#tell(from, to, state);
    if (state === 'paused') return;
    const forget = this.#timers.after(seenForMs, () => this.end(from, to));
    this.#shown.push({ from, to, state, line, forget });
  }

  /** The account does nothing in the chat, or has written in it. */
  end(from: AccountRecord, to: Party): void {
    const ended = this.#drop((shown) => shown.from === from && shown.to === to);
    if (ended.length > 0) this.#tell(from, to, 'paused');
  }

  /** The page on that line has gone. */
  release(line: Line): void {
    for (const { from, to } of this.#drop((shown) => shown.line === line)) this.#tell(from, to, 'paused');
  }

  /** Who does what, as `viewer` sees it in a chat. */
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
