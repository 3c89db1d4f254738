import type { Message } from '@chat-web/host';
import { message } from '@chat-web/protocol';
import * as v from 'valibot';
import { mayCall } from '../../connection.ts';
import { fullTime } from '../../parts/words.ts';
import { ackText } from '../events/event-text.ts';
import type { AckWatch } from './ack-watch.ts';

/** The message that an answer has. Undefined: it has none. */
export function messageIn(json: unknown): Message | undefined {
  const parsed = v.safeParse(message, json);
  return parsed.success ? parsed.output : undefined;
}

interface SentProps {
  readonly sent: Message;
  readonly acks: AckWatch;
  /** Shows the form of an operation with these values. */
  onUse(name: 'sendMessage' | 'editMessage' | 'deleteMessage' | 'getMedia', values: Record<string, string>): void;
}

/** A message that was sent: what became of it, and what can be done with it. */
export function SentMessage({ sent, acks, onUse }: SentProps) {
  const { id, to, ack, hasMedia } = sent;
  const seen = acks.acks.value.get(id) ?? [];
  const later = seen.filter((one) => one.ack > ack || one.ack < 0);
  return (
    <section class="sent" aria-labelledby="acks">
      <h3 id="acks">What became of it</h3>
      <div role="status">
        <ol class="timeline">
          <li>
            <span class="soft">answered</span> {ackText(ack)}
          </li>
          {later.map((one) => (
            <li key={`${one.ack} ${one.at}`}>
              <time dateTime={one.at}>{fullTime(Date.parse(one.at))}</time> {ackText(one.ack)}
            </li>
          ))}
        </ol>
      </div>
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
    </section>
  );
}
