import type { Message } from '@chat-web/protocol';
import { shownText } from '../../parts/shown-text.ts';
import { counted } from '../../parts/words.ts';

/** The kind of a message and its sender or recipient; includes what people wrote only if `withContents`. */
export function contentText(
  { type, body, filename, hasMedia }: Pick<Message, 'type' | 'body' | 'filename' | 'hasMedia'>,
  whose: string,
  withContents: boolean,
): string {
  const kind = shownText(type);
  if (!withContents) return `${kind} ${whose}: ${counted(body.length, 'character')}${hasMedia ? ' and a file' : ''}`;
  const file = filename === undefined ? '' : ` [${shownText(filename)}]`;
  return `${kind} ${whose}: ${shownText(body)}${file}`;
}
