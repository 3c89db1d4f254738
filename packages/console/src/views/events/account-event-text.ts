import type { ListenedEvent } from '@chat-web/host';
import type { AccountEventName } from '@chat-web/protocol';
import { shownText } from '../../parts/shown-text.ts';
import { counted } from '../../parts/words.ts';
import { contentText } from './content-text.ts';

/** What became of messages, groups and chats, in one line; what people wrote only if `withContents`. */
export function accountEventText(event: ListenedEvent<AccountEventName>, withContents: boolean): string {
  switch (event.name) {
    case 'message_sent':
      return contentText(event.data, `to ${shownText(event.data.to)}, sent on another device`, withContents);
    case 'message_reaction': {
      const { from, emoji, messageId } = event.data;
      const reaction =
        emoji === '' ? 'took a reaction back' : `reacted${withContents ? ` with ${shownText(emoji)}` : ''}`;
      return `${shownText(from)} ${reaction}: ${shownText(messageId)}`;
    }
    case 'message_edited': {
      const { id, from, body } = event.data;
      const text = withContents ? shownText(body) : counted(body.length, 'character');
      return `${shownText(from)} edited ${shownText(id)}: ${text}`;
    }
    case 'message_revoked': {
      const { id, from, by = from } = event.data;
      return `${shownText(by)} deleted ${shownText(id)} for everyone`;
    }
  }
}
