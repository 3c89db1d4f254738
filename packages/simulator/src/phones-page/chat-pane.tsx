import { useEffect } from 'preact/hooks';
import type { ListedPhone, PhoneMessage } from '../api.ts';
import { read, turn } from './api.ts';
import { Composer } from './composer.tsx';
import { showChatState, showDay, showNumber } from './format.ts';
import { useAction } from './hooks.ts';
import { MessageItem } from './message-item.tsx';
import { PhoneIsOff } from './parts.tsx';
import { linkTo } from './route.ts';
import type { OpenPhone } from './view.ts';

interface ChatPaneProps {
  readonly phone: OpenPhone;
  /** Its id. */
  readonly chat: string;
  /** For the names of people without a chat. */
  readonly phones: readonly ListedPhone[];
  /** How many messages are loaded at most. */
  readonly limit: number;
  showEarlier(): void;
  refresh(): void;
}

/** One chat: messages that are open here are marked as read. */
export function ChatPane({ phone, chat, phones, limit, showEarlier, refresh }: ChatPaneProps) {
  const { account, chats, messages = [] } = phone;
  const { number, online } = account;
  const { isBusy, problem, run } = useAction();
  const listed = chats.find(({ id }) => id === chat);
  const name = listed?.name ?? phones.find((other) => `${other.number}@c.us` === chat)?.name ?? showNumber(chat);
  const unread = listed?.unread ?? 0;
  const chatState = listed?.chatStates[0];
  useEffect(() => {
    // A failure is retried with the next message, and the list shows the chat as unread.
    if (unread > 0 && online) void read(number, chat).then(refresh, () => {});
  }, [unread, online]);

  return (
    <section class="detail" aria-labelledby="chat">
      <header>
        <a class="back" href={linkTo({ number })} aria-label="Back to the chats">
          ←
        </a>
        <h2 id="chat" tabIndex={-1} data-focus>
          <bdi>{name}</bdi>
          <small aria-live="polite">{chatState ? showChatState(chatState) : subtitleOf(chat, number, name)}</small>
        </h2>
      </header>
      {'problem' in messages ? (
        <div class="middle" role="alert">
          <p>{messages.problem}</p>
          <p>Chats are possible with the phones that are listed here.</p>
        </div>
      ) : (
        <>
          {/* Reachable by keyboard, to scroll. */}
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls. */}
          <div class="scroller conversation" role="log" aria-label="Messages" tabIndex={0}>
            <Messages messages={messages} />
            {messages.length === limit && (
              <button type="button" class="quiet earlier" onClick={showEarlier}>
                Show earlier messages
              </button>
            )}
          </div>
          <div role="alert">{problem && <p class="problem">{problem}</p>}</div>
          {online ? (
            <Composer key={chat} number={number} chat={chat} refresh={refresh} />
          ) : (
            <PhoneIsOff isBusy={isBusy} turnOn={async () => (await run(() => turn(number, true))) && refresh()} />
          )}
        </>
      )}
    </section>
  );
}

function Messages({ messages }: { readonly messages: readonly PhoneMessage[] }) {
  if (messages.length === 0) return <p class="hint">No messages yet. Write the first one below.</p>;
  let lastDay: string | undefined;
  const byId = new Map(messages.map((message) => [message.id, message]));
  return (
    <ol class="messages">
      {messages.map((message) => {
        const day = showDay(new Date(message.timestamp * 1_000));
        const isNewDay = day !== lastDay;
        lastDay = day;
        const quoted = message.quotedMessageId === undefined ? undefined : byId.get(message.quotedMessageId);
        return <MessageItem key={message.id} message={message} quoted={quoted} day={isNewDay ? day : undefined} />;
      })}
    </ol>
  );
}

function subtitleOf(chat: string, number: string, name: string): string {
  if (chat.endsWith('@g.us')) return 'Group';
  if (chat === `${number}@c.us`) return 'Messages to yourself';
  return name === showNumber(chat) ? '' : showNumber(chat);
}
