import { raw } from 'hono/html';
import type { Child } from 'hono/jsx';
import { SHOWN_IMAGES, withoutMarks } from './messages.ts';
import type { Stored } from './store.ts';

/** The state of the account, as pages show it. */
export interface Account {
  readonly status: string;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
}

/** A chat in the list. */
export interface Listed {
  readonly id: string;
  readonly name: string;
  readonly last?: { readonly body: string; readonly timestamp: number; readonly fromMe: boolean } | undefined;
}

/** The content of the form for the next message. */
export interface Draft {
  /** Of the message that the form is for: sent twice, it arrives once. */
  readonly key: string;
  readonly body?: string;
  readonly problem?: string;
}

const STATUS: Readonly<Record<string, string>> = {
  unknown: 'No account is linked.',
  unreachable: 'The gateway cannot be reached. Messages that arrive meanwhile are delivered later.',
  starting: 'The account is starting.',
  qr: 'The account is not linked: scan the QR.',
  authenticating: 'The phone has scanned the QR. Loading the chats may take some minutes.',
  disconnected: 'The account has lost its connection, and is reconnecting.',
  failed: 'The account has failed.',
  stopped: 'The account is stopped.',
};
const ACKS: Readonly<Record<number, string>> = {
  [-1]: 'failed',
  0: 'waiting',
  1: 'sent',
  2: 'delivered',
  3: 'read',
  4: 'played',
};
const dateAndTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const dateAlone = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const timeAlone = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });

/** Everything that strangers write goes through JSX, which escapes it. This is the only `raw`. */
const DOCTYPE = raw('<!DOCTYPE html>');

function Page({ title, view, children }: { title: string; view: string; children: Child }) {
  return (
    <>
      {DOCTYPE}
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <title>{title}</title>
          <link rel="stylesheet" href="/style.css" />
          <script type="module" src="/live.js" />
        </head>
        <body class={view}>{children}</body>
      </html>
    </>
  );
}

/** The page that links an account. */
export function LinkPage({ account }: { account: Account }) {
  return (
    <Page title="Link an account" view="single">
      <main>
        <h1>Link an account</h1>
        <section id="link" data-refresh-seconds="2" aria-live="polite">
          {account.reason === 'PASSKEY_REQUIRED' ? (
            <Passkey />
          ) : account.status === 'qr' ? (
            <Qr />
          ) : (
            <Start account={account} />
          )}
        </section>
        <details>
          <summary>The phone asks for a passkey</summary>
          <Passkey />
        </details>
      </main>
    </Page>
  );
}

function Passkey() {
  return (
    <p>
      Some accounts ask for a passkey when a device is linked. Only the owner of the account has it; a server cannot
      provide it. Cancel on the phone, and link the account on the owner’s own computer: with a gateway there, in a
      visible browser, where the passkey works as usual. Then move the linked session to this gateway.
    </p>
  );
}

function Qr() {
  return (
    <>
      <p>
        On the phone, open <b>Settings</b>, <b>Linked devices</b>, <b>Link a device</b>, and scan:
      </p>
      <img
        class="qr"
        src={`/qr.png?${Math.floor(Date.now() / 10_000)}`}
        width="280"
        height="280"
        alt="QR to scan with the phone"
      />
      <p>It changes every 20 to 60 seconds; this page follows.</p>
    </>
  );
}

function Start({ account: { status, message } }: { account: Account }) {
  const isWaiting = status === 'starting' || status === 'authenticating' || status === 'disconnected';
  return (
    <>
      <p>
        {STATUS[status]} {message ? <bdi>({message})</bdi> : null}
      </p>
      {isWaiting ? (
        <progress aria-label="Please wait" />
      ) : (
        <form method="post" action="/link">
          <button type="submit">Start and show the QR</button>
        </form>
      )}
    </>
  );
}

/** The list of chats. */
export function InboxPage({ account, chats }: { account: Account; chats: readonly Listed[] }) {
  return (
    <Page title="Inbox" view="list">
      <Chats account={account} chats={chats} />
      <main class="empty">
        <p>Choose a chat.</p>
      </main>
    </Page>
  );
}

interface Conversation {
  readonly account: Account;
  readonly chats: readonly Listed[];
  readonly chat: { readonly id: string; readonly name: string };
  readonly messages: readonly Stored[];
  readonly draft: Draft;
}

/** One chat, beside the list if there is room. */
export function ConversationPage({ account, chats, chat, messages, draft }: Conversation) {
  return (
    <Page title={`${chat.name} – Inbox`} view="conversation">
      <Chats account={account} chats={chats} current={chat.id} />
      <main>
        <header>
          <a href="/" class="back">
            ← <span>All chats</span>
          </a>
          <Avatar id={chat.id} name={chat.name} />
          <h1>
            <bdi>{chat.name}</bdi>
          </h1>
        </header>
        <Status account={account} />
        <section class="scroller" role="log" aria-label="Messages" tabindex={0}>
          <ol id="messages">
            {messages.map((message) => (
              <Bubble message={message} isGroup={chat.id.endsWith('@g.us')} />
            ))}
          </ol>
          {messages.length === 0 ? (
            <p class="hint">Messages from before this inbox was set up are on the phone.</p>
          ) : null}
        </section>
        <Answer chat={chat.id} draft={draft} />
      </main>
    </Page>
  );
}

function Answer({ chat, draft: { key, body = '', problem } }: { chat: string; draft: Draft }) {
  return (
    <form method="post" action={`/chats/${chat}`} enctype="multipart/form-data" autocomplete="off" class="answer">
      {problem ? (
        <p role="alert" class="problem">
          {problem}
        </p>
      ) : null}
      <input type="hidden" name="key" value={key} autocomplete="off" />
      <label for="text" class="hidden">
        Message
      </label>
      <textarea id="text" name="text" rows={2} maxlength={65_536} placeholder="Message" autofocus>
        {body}
      </textarea>
      <label for="file" class="hidden">
        File
      </label>
      <input id="file" type="file" name="file" />
      <button type="submit">Send</button>
    </form>
  );
}

function Chats({ account, chats, current }: { account: Account; chats: readonly Listed[]; current?: string }) {
  return (
    <nav aria-label="Chats">
      <h2>Inbox</h2>
      {current === undefined ? <Status account={account} /> : null}
      <form action="/new" class="new">
        <label for="number">New chat</label>
        <input id="number" name="number" type="tel" placeholder="+12025550102" required maxlength={30} />
        <button type="submit">Open</button>
      </form>
      <ol id="chats">
        {chats.map(({ id, name, last }) => (
          <li id={`c-${id}`}>
            <a href={`/chats/${id}`} {...(id === current ? { 'aria-current': 'page' as const } : {})}>
              <Avatar id={id} name={name} />
              <span class="name">
                <bdi>{name}</bdi>
              </span>
              {last ? <Time seconds={last.timestamp} short /> : null}
              <span class="last">
                {last?.fromMe ? 'You: ' : ''}
                <bdi>{last && (last.body.slice(0, 200) || 'File')}</bdi>
              </span>
            </a>
          </li>
        ))}
      </ol>
    </nav>
  );
}

/** The problem of the account, if there is one. */
function Status({ account: { status } }: { account: Account }) {
  return (
    <div id="account" role="status">
      {status === 'ready' ? null : (
        <p>
          {STATUS[status]} {status === 'unreachable' ? null : <a href="/link">Details</a>}
        </p>
      )}
    </div>
  );
}

/** Shows the initial if there is no picture. */
function Avatar({ id, name }: { id: string; name: string }) {
  const [initial = '?'] = name.replace(/^\+/, '');
  return (
    <span class="avatar" aria-hidden="true">
      {initial.toUpperCase()}
      <img src={`/pictures/${id}`} alt="" loading="lazy" width="44" height="44" />
    </span>
  );
}

function Bubble({ message, isGroup }: { message: Stored; isGroup: boolean }) {
  const { id, fromMe, body, author, cloud, ack, timestamp } = message;
  return (
    <li id={`m-${encodeURIComponent(id)}`} class={fromMe ? 'mine' : 'theirs'}>
      <span class="hidden">{fromMe ? 'You: ' : ''}</span>
      {isGroup && author ? (
        <span class="author">
          <bdi>{author.replace(/@.*$/, '')}</bdi>
        </span>
      ) : null}
      {cloud ? <span class="author">to the business number</span> : null}
      {message.hasMedia ? <Media message={message} /> : null}
      {body === '' ? null : (
        <p class="body" dir="auto">
          {body}
        </p>
      )}
      <small>
        <Time seconds={timestamp} />
        {fromMe ? ` · ${ACKS[ack] ?? ''}` : ''}
      </small>
    </li>
  );
}

function Media({ message: { id, type, mimeType = '', filename } }: { message: Stored }) {
  const address = `/media/${encodeURIComponent(id)}`;
  if (SHOWN_IMAGES.includes(mimeType.split(';')[0] ?? ''))
    return (
      <a href={address} class="image">
        <img src={address} alt={withoutMarks(filename ?? 'Image')} loading="lazy" />
      </a>
    );
  return (
    <a href={address} class="file" download>
      <bdi>{withoutMarks(filename ?? type)}</bdi>
    </a>
  );
}

function Time({ seconds, short = false }: { seconds: number; short?: boolean }) {
  const time = new Date(seconds * 1_000);
  const isToday = time.toDateString() === new Date().toDateString();
  return (
    <time datetime={time.toISOString()}>{(isToday ? timeAlone : short ? dateAlone : dateAndTime).format(time)}</time>
  );
}

/** Any error. */
export function ErrorPage({ text }: { text: string }) {
  return (
    <Page title="Inbox" view="single">
      <main>
        <h1>{text}</h1>
        <p>
          <a href="/">Back to the inbox</a>
        </p>
      </main>
    </Page>
  );
}
