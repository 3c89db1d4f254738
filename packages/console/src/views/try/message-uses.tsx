import type { Message } from '@chat-web/host';
import { mayCall } from '../../connection.ts';

interface UsesProps {
  readonly sent: Message;
  /** Shows the form of an operation with these values. */
  onUse(name: 'sendMessage' | 'editMessage' | 'deleteMessage' | 'getMedia', values: Record<string, string>): void;
}

/** The next calls for a sent message. */
export function MessageUses({ sent: { id, to, hasMedia }, onUse }: UsesProps) {
  return (
    <div class="buttons">
      <button type="button" onClick={() => onUse('sendMessage', { type: 'text', to, quotedMessageId: id })}>
        Reply to it
      </button>
      <button type="button" onClick={() => onUse('sendMessage', { type: 'reaction', messageId: id })}>
        React to it
      </button>
      <button type="button" onClick={() => onUse('editMessage', { messageId: id })}>
        Edit it
      </button>
      <button type="button" onClick={() => onUse('deleteMessage', { messageId: id, forEveryone: 'true' })}>
        Delete it
      </button>
      {hasMedia && mayCall('getMedia') && (
        <button type="button" onClick={() => onUse('getMedia', { messageId: id })}>
          Get its file
        </button>
      )}
    </div>
  );
}
