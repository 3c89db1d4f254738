import { readFileSync } from 'node:fs';
import { type Chat, type CloudWebhook, GatewayError } from '@chat-web/host';
import { cloudWebhookApp } from '@chat-web/host/hono';
import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { csrf } from 'hono/csrf';
import { HTTPException } from 'hono/http-exception';
import { secureHeaders } from 'hono/secure-headers';
import { streamSSE } from 'hono/streaming';
import type { Inbox } from './follow.ts';
import { download, send, withoutMarks } from './messages.ts';
import { type Account, ConversationPage, type Draft, ErrorPage, InboxPage, LinkPage, type Listed } from './views.tsx';

/** The parts and options of the application. */
export interface AppOptions extends Inbox {
  /** The origins under which browsers reach this application, such as `http://127.0.0.1:8080`. */
  readonly origins: readonly string[];
  /** A new link is fragile: how long no pictures are requested, in milliseconds. */
  readonly picturesAfterMs: number;
  /** For the provider's cloud; it verifies the signature of each delivery itself. */
  readonly webhook?: CloudWebhook | undefined;
}

const MAX_FORM_BYTES = 16 * 1_048_576;
/** For a large account, the newest; others can be opened by number. */
const MOST_LISTED = 200;
const PICTURE_SECONDS = 1_800;
const PICTURE_WAIT_MS = 1_000;
const STATUS_WAIT_MS = 3_000;
const KEEPALIVE_MS = 25_000;
/** How soon an open page reconnects. */
const RETRY_MS = 1_000;
/** Ids of chats from the gateway; of these, people have pictures. */
const CHAT = /^[\d-]{1,40}@(c\.us|lid|g\.us)$/;
const PERSON = /@(c\.us|lid)$/;

const file = (name: string) => readFileSync(new URL(`../public/${name}`, import.meta.url), 'utf8');

/** The pages of the inbox, and the handlers of their forms. There is no login: it listens only on this machine. */
export function createApp(options: AppOptions): Hono {
  const { session, client, store, live, origins, webhook } = options;
  let known: readonly Chat[] = [];
  const app = new Hono();
  if (webhook) app.route('/', cloudWebhookApp(webhook));

  app.use(async (c, next) => {
    // Another site may have pointed its host name at this machine.
    if (!origins.some((origin) => new URL(origin).host === c.req.header('Host'))) throw new HTTPException(421);
    await next();
    if (!c.res.headers.has('Cache-Control')) c.header('Cache-Control', 'no-store');
  });
  app.use(
    secureHeaders({
      contentSecurityPolicy: {
        defaultSrc: ["'none'"],
        ...{ scriptSrc: ["'self'"], styleSrc: ["'self'"], imgSrc: ["'self'"], connectSrc: ["'self'"] },
        ...{ formAction: ["'self'"], baseUri: ["'none'"], frameAncestors: ["'none'"] },
      },
      referrerPolicy: 'same-origin', // Otherwise a form's Origin is null, and the next check refuses it.
    }),
  );
  app.use(csrf({ origin: (origin) => origins.includes(origin) }));
  app.use(bodyLimit({ maxSize: MAX_FORM_BYTES, onError: () => fail(413, 'The file is larger than 16 MB.') }));

  app.get('/style.css', (c) => c.body(file('style.css'), 200, { 'Content-Type': 'text/css; charset=utf-8' }));
  app.get('/live.js', (c) => c.body(file('live.js'), 200, { 'Content-Type': 'text/javascript; charset=utf-8' }));

  app.get('/', async (c) => {
    const account = await accountNow();
    if (account.status === 'qr' || (account.status !== 'ready' && store.linkedAt === undefined))
      return c.redirect('/link');
    return c.html(<InboxPage account={account} chats={(await listed(account)).slice(0, MOST_LISTED)} />);
  });

  app.get('/link', async (c) => {
    const account = await accountNow();
    return account.status === 'ready' ? c.redirect('/') : c.html(<LinkPage account={account} />);
  });

  app.post('/link', async (c) => {
    await client.startSession({ id: session });
    return c.redirect('/link', 303);
  });

  app.get('/qr.png', async (c) => {
    const { qr } = await client.getQr({ id: session });
    return c.body(Buffer.from(qr.slice(qr.indexOf(',') + 1), 'base64'), 200, { 'Content-Type': 'image/png' });
  });

  app.get('/new', (c) => {
    const digits = (c.req.query('number') ?? '').replace(/[\s()+.-]/g, '');
    if (!/^[1-9]\d{4,14}$/.test(digits)) fail(400, 'Write the number with its country code, such as +12025550102.');
    return c.redirect(`/chats/${digits}@c.us`);
  });

  app.get('/chats/:chat', async (c) => conversation(c, { key: crypto.randomUUID() }));

  app.post('/chats/:chat', async (c) => {
    const form = await c.req.parseBody();
    const { key, text: body, file: attached } = form;
    if (typeof key !== 'string' || typeof body !== 'string' || key === '') return fail(400, 'The form is incomplete.');
    const attachment = attached instanceof File && attached.size > 0 ? attached : undefined;
    const chat = chatOf(c);
    if (!attachment && body.trim() === '') return c.redirect(`/chats/${chat}`, 303);
    try {
      await send(options, key, { chat, body, attachment });
      return c.redirect(`/chats/${chat}`, 303);
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      // The browser has restored a page whose form was sent: its content now is another message.
      if (error.code === 'idempotency_key_reused') {
        const draft = { key: crypto.randomUUID(), body, problem: 'This form was sent before. Please send it again.' };
        return conversation(c, draft);
      }
      const hint = attachment ? ' Choose the file again.' : '';
      const again = 'Send it again: it will not arrive twice.';
      return conversation(c, { key, body, problem: `Not sent, or not known to be: ${error.message}. ${again}${hint}` });
    }
  });

  app.get('/pictures/:chat', async (c) => {
    const chat = chatOf(c);
    const { linkedAt } = store;
    const isNew = linkedAt !== undefined && Date.now() - Date.parse(linkedAt) < options.picturesAfterMs;
    if (isNew || !PERSON.test(chat)) return c.body(null, 204);
    // A browser has six connections: pictures must not block pages. The cache has a late picture the next time.
    const signal = AbortSignal.timeout(PICTURE_WAIT_MS);
    const picture = await client.getPicture({ id: session, contactId: chat }, { signal }).catch(() => undefined);
    if (picture !== undefined) c.header('Cache-Control', `private, max-age=${PICTURE_SECONDS}`);
    return picture ? c.body(picture.data, 200, { 'Content-Type': 'image/jpeg' }) : c.body(null, 204);
  });

  app.get('/media/:message', async (c) => {
    const message = store.message(c.req.param('message'));
    if (!message?.hasMedia) return c.notFound();
    return download(await client.getMedia({ id: session, messageId: message.id }));
  });

  app.get('/live', (c) =>
    streamSSE(c, (stream) => {
      /** One at a time: a browser that does not read gets the next one when it does. */
      let isTelling = false;
      const notify = async () => {
        if (isTelling) return;
        isTelling = true;
        await stream.writeSSE({ event: 'changed', data: '', retry: RETRY_MS });
        isTelling = false;
      };
      void notify();
      const unfollow = live.follow(notify);
      const keepalive = setInterval(notify, KEEPALIVE_MS);
      return new Promise((resolve) => {
        stream.onAbort(() => {
          clearInterval(keepalive);
          unfollow();
          resolve();
        });
      });
    }),
  );

  app.notFound((c) => c.html(<ErrorPage text="There is no such page." />, 404));
  app.onError((error, c) => {
    if (error instanceof HTTPException && error.status < 500)
      return c.html(<ErrorPage text={error.message || 'The request was refused.'} />, error.status);
    console.error(error instanceof GatewayError ? `${error.code}: ${error.message}` : error);
    return c.html(<ErrorPage text="It did not work. Try again in a moment." />, 502);
  });
  return app;

  async function conversation(c: Context, draft: Draft) {
    const chat = chatOf(c);
    const account = await accountNow();
    const all = await listed(account);
    const chats = all.slice(0, MOST_LISTED);
    const { name } = all.find(({ id }) => id === chat) ?? { name: nameOf(chat) };
    const page = (
      <ConversationPage {...{ account, chats, draft }} chat={{ id: chat, name }} messages={store.conversation(chat)} />
    );
    return c.html(page, draft.problem === undefined ? 200 : 409);
  }

  async function accountNow(): Promise<Account> {
    try {
      return await client.getSessionStatus({ id: session }, { retries: 0, timeoutMs: STATUS_WAIT_MS });
    } catch (error) {
      if (error instanceof GatewayError && error.code === 'session_not_found') return { status: 'unknown' };
      return { status: 'unreachable' };
    }
  }

  /** The account's chats, or the last known ones if it is not ready, and chats that exist only here. */
  async function listed({ status }: Account): Promise<readonly Listed[]> {
    if (status === 'ready') known = await client.listChats({ id: session }).catch(() => known);
    const ids = new Set(known.map(({ id }) => id));
    const own = store.chats.filter(({ chat }) => !ids.has(chat));
    return [
      ...own.map(({ chat, cloud, ...last }) => ({ id: chat, name: withoutMarks(cloud?.name ?? nameOf(chat)), last })),
      ...known.map(({ id, name, lastMessage: last }) => ({ id, name: withoutMarks(name), last })),
    ].sort((a, b) => (b.last?.timestamp ?? 0) - (a.last?.timestamp ?? 0));
  }
}

function chatOf(c: Context): string {
  const chat = c.req.param('chat') ?? '';
  return CHAT.test(chat) ? chat : fail(404, 'There is no such chat.');
}

function nameOf(chat: string): string {
  return chat.replace(/^(\d+)@c\.us$/, '+$1');
}

function fail(status: 400 | 404 | 413, message: string): never {
  throw new HTTPException(status, { message });
}
