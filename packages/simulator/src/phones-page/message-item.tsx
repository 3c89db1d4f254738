import type { PhoneMessage } from '../api.ts';
import { showFull, showInShort, showKind, showNumber, showSize, showTime, writtenText } from './format.ts';
import { Ticks } from './parts.tsx';

interface MessageItemProps {
  readonly message: PhoneMessage;
  /** The message that it quotes, if it is loaded. */
  readonly quoted: PhoneMessage | undefined;
  /** The day, above the first message of each. */
  readonly day: string | undefined;
}

/** One message. Content of others is rendered as text, never as markup. */
export function MessageItem({ message, quoted, day }: MessageItemProps) {
  const { fromMe, author, authorName, timestamp, edited, ack, type } = message;
  const at = new Date(timestamp * 1_000);
  const text = writtenText(message);
  return (
    <>
      {day !== undefined && <li class="day">{day}</li>}
      <li class={fromMe ? 'message mine' : 'message'}>
        <span class="unseen">{fromMe ? 'You:' : author === undefined ? 'They:' : ''}</span>
        {author !== undefined && !fromMe && <bdi class="author">{authorName ?? showNumber(author)}</bdi>}
        <Quote message={message} quoted={quoted} />
        {type !== 'text' && <Kind message={message} />}
        {text !== '' && (
          <p class="body" dir="auto">
            {text}
          </p>
        )}
        <Reactions message={message} />
        <small class="foot">
          {edited && 'edited '}
          <time dateTime={at.toISOString()} title={showFull(at)}>
            {showTime(at)}
          </time>
          {fromMe && type !== 'revoked' && <Ticks ack={ack} />}
        </small>
      </li>
    </>
  );
}

function Quote({ message, quoted }: Pick<MessageItemProps, 'message' | 'quoted'>) {
  const { quotedMessageId, quotedBody } = message;
  if (quotedMessageId === undefined) return null;
  const text = quoted ? showInShort(quoted) : quotedBody;
  return (
    <blockquote>
      <span class="unseen">Reply to: </span>
      <bdi>{text === undefined || text === '' ? 'A message' : text}</bdi>
    </blockquote>
  );
}

function Kind({ message: { type, filename, size } }: { readonly message: PhoneMessage }) {
  return (
    <p class={type === 'revoked' ? 'kind gone' : 'kind'}>
      <span>{showKind(type)}</span>
      {filename !== undefined && <bdi class="file">{filename}</bdi>}
      {size !== undefined && <small>{showSize(size)}</small>}
    </p>
  );
}

function Reactions({ message: { reactions } }: { readonly message: PhoneMessage }) {
  if (reactions.length === 0) return null;
  return (
    <p class="reactions">
      {reactions.map(({ from, emoji }) => (
        <bdi key={from} title={`from ${showNumber(from)}`}>
          {emoji}
          <span class="unseen"> from {showNumber(from)}</span>
        </bdi>
      ))}
    </p>
  );
}
