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
  readonly line: Line;
  readonly forget: () => void;
}

/** Who types, and who records a voice note. */
export class ChatStates {
  readonly #timers: Timers;
  #shown: Shown[] = [];

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  /** A page says what its account does in a chat. */
  show(line: Line, from: AccountRecord, to: Party, state: ChatStateName): void {
    this.end(from, to);
    if (state === 'paused') return;
    const forget = this.#timers.after(seenForMs, () => this.end(from, to));
    this.#shown.push({ from, to, state, line, forget });
  }

  /** The account does nothing in the chat, or has written in it. */
  end(from: AccountRecord, to: Party): void {
    this.#drop((shown) => shown.from === from && shown.to === to);
  }

  /** The page on that line has gone. */
  release(line: Line): void {
    this.#drop((shown) => shown.line === line);
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

  #drop(isGone: (shown: Shown) => boolean): void {
    for (const { forget } of this.#shown.filter(isGone)) forget();
    this.#shown = this.#shown.filter((shown) => !isGone(shown));
  }
}
