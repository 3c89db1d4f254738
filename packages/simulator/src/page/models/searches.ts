import type { Wid } from '../wid.ts';
import { type Msg, messages } from './message.ts';

/** A search, `page` from 1; in one chat, or in all. */
export interface Search {
  readonly searchTerm: string;
  readonly page?: number;
  readonly count: number;
  readonly remote?: Wid | undefined;
}

const wordsOf = (text: string) =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);

/** Messages that the page holds, by the beginnings of their words: the newest are on the first page, oldest first. */
export function searchHeld({ searchTerm, page = 1, count, remote }: Search): { messages: Msg[]; eof: boolean } {
  const wanted = wordsOf(searchTerm);
  const found = messages.filter((msg) => {
    const own = wordsOf(msg.get('caption') ?? msg.get('body') ?? '');
    const isThere = remote === undefined || String(msg.get('id')?.remote) === String(remote);
    return isThere && wanted.every((word) => own.some((one) => one.startsWith(word)));
  });
  const end = Math.max(0, found.length - (page - 1) * count);
  return { messages: found.slice(Math.max(0, end - count), end), eof: end <= count };
}
