import { useState } from 'preact/hooks';
import type { ListedChat, ListedPhone, PhoneMessage } from '../api.ts';
import { showChatState, showFull, showInShort, showMarks, showNumber, showWhen } from './format.ts';
import { Avatar, Ticks, Unread } from './parts.tsx';
import { linkTo } from './route.ts';
import type { OpenPhone, View } from './view.ts';

interface ChatListProps {
  readonly phone: OpenPhone;
  readonly view: View;
}

/** The chats of a phone, with links to its linked devices and to a new chat. */
export function ChatList({ phone: { account, chats }, view: { route, waiting, phones } }: ChatListProps) {
  const { number, name, devices } = account;
  return (
    <nav class="chats" aria-labelledby="chats">
      <header>
        <a class="back" href={linkTo({})} aria-label="Back to the phones">
          ←
        </a>
        <h2 id="chats" tabIndex={-1} data-focus>
          <bdi>{name}</bdi>
          <small>{showNumber(number)}</small>
        </h2>
      </header>
      <a class="row" href={linkTo({ number, devices: true })} aria-current={route.devices ? 'true' : undefined}>
        <span>Linked devices</span>
        <small>
          {devices.length} linked{waiting.length > 0 && ` · ${waiting.length} waiting`}
        </small>
      </a>
      <NewChat key={number} number={number} phones={phones} />
      {chats.length === 0 && <p class="hint">No chats yet. Write the first message to a number above.</p>}
      <ul class="list">
        {chats.map((chat) => (
          <li key={chat.id}>
            <ChatLink number={number} chat={chat} isOpen={chat.id === route.chat} />
          </li>
        ))}
      </ul>
    </nav>
  );
}

function ChatLink(props: { readonly number: string; readonly chat: ListedChat; readonly isOpen: boolean }) {
  const { number, chat, isOpen } = props;
  const { id, name, unread, markedUnread, lastMessage, chatStates } = chat;
  return (
    <a href={linkTo({ number, chat: id })} aria-current={isOpen ? 'true' : undefined}>
      <Avatar name={name} />
      <bdi class="name">{name}</bdi>
      {lastMessage && <When message={lastMessage} />}
      <small class="last">
        {showMarks(chat)}
        {chatStates[0] ? (
          showChatState(chatStates[0])
        ) : lastMessage ? (
          <LastMessage message={lastMessage} />
        ) : (
          'No messages'
        )}
      </small>
      <Unread count={unread || Number(markedUnread)} />
    </a>
  );
}

function LastMessage({ message }: { readonly message: PhoneMessage }) {
  return (
    <>
      {message.fromMe && <Ticks ack={message.ack} />}
      <bdi>{showInShort(message)}</bdi>
    </>
  );
}

function When({ message }: { readonly message: PhoneMessage }) {
  const at = new Date(message.timestamp * 1_000);
  return (
    <time dateTime={at.toISOString()} title={showFull(at)}>
      {showWhen(at)}
    </time>
  );
}

function NewChat({ number, phones }: { readonly number: string; readonly phones: readonly ListedPhone[] }) {
  const [text, setText] = useState('');
  const [isWrong, setWrong] = useState(false);
  const open = (event: Event) => {
    event.preventDefault();
    const digits = text.replace(/[\s()+.-]/g, '');
    const isNumber = /^[1-9]\d{4,14}$/.test(digits);
    setWrong(!isNumber);
    if (!isNumber) return;
    setText('');
    location.hash = linkTo({ number, chat: `${digits}@c.us` });
  };
  return (
    <form class="field" onSubmit={open} noValidate>
      <label for="new-chat">Chat with a number</label>
      <div class="line">
        <input
          id="new-chat"
          type="tel"
          autoComplete="off"
          list="numbers"
          placeholder="+12025550102"
          value={text}
          aria-invalid={isWrong}
          aria-describedby={isWrong ? 'new-chat-problem' : undefined}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
        <datalist id="numbers">
          {phones.map((phone) => (
            <option key={phone.number} value={showNumber(phone.number)}>
              {phone.name}
            </option>
          ))}
        </datalist>
        <button type="submit">Open</button>
      </div>
      <div role="alert">
        {isWrong && (
          <p class="problem" id="new-chat-problem">
            Write the number with its country code, such as +12025550102.
          </p>
        )}
      </div>
    </form>
  );
}
