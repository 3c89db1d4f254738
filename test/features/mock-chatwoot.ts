import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { listening } from '@chat-web/testing';
import { createAdaptorServer } from '@hono/node-server';
import { Hono } from 'hono';
import * as v from 'valibot';

/*
 * What the bridge uses of Chatwoot, by the OpenAPI document of its application API (version 1.1.0): paths, required and
 * known fields, status codes, shapes of responses. The document omits files, and the `before` and `after` of a list of
 * messages: these are as Chatwoot's own pages use them.
 */

const PAGE_OF_CONVERSATIONS = 25;
const PAGE_BEFORE = 20;
const PAGE_AFTER = 100;
const MAX_OF_CONTACT = 20;

const contactFields = {
  name: v.optional(v.string()),
  phone_number: v.optional(v.pipe(v.string(), v.regex(/^\+[1-9]\d{1,14}$/))),
  identifier: v.optional(v.string()),
};
const messageFields = { content: v.string(), message_type: v.picklist(['incoming', 'outgoing']) };
const BODIES = {
  inbox: v.strictObject({ name: v.string(), channel: v.strictObject({ type: v.literal('api') }) }),
  lock: v.strictObject({ lock_to_single_conversation: v.literal(true) }),
  webhook: v.strictObject({ url: v.pipe(v.string(), v.url()), subscriptions: v.array(v.literal('message_created')) }),
  contact: v.strictObject({ inbox_id: v.number(), ...contactFields }),
  update: v.strictObject(contactFields),
  filter: v.strictObject({
    payload: v.tuple([
      v.strictObject({
        attribute_key: v.picklist(['phone_number', 'identifier']),
        filter_operator: v.literal('equal_to'),
        values: v.tuple([v.string()]),
        query_operator: v.null(),
      }),
    ]),
  }),
  conversation: v.strictObject({
    source_id: v.string(),
    inbox_id: v.number(),
    contact_id: v.number(),
    status: v.picklist(['open', 'resolved', 'pending']),
  }),
  message: v.strictObject({
    ...messageFields,
    private: v.optional(v.boolean()),
    content_attributes: v.strictObject({ external_id: v.string() }),
  }),
  form: v.strictObject({
    ...messageFields,
    'content_attributes[external_id]': v.string(),
    'attachments[]': v.tuple([v.file()]),
  }),
};

export interface MockContact {
  readonly id: number;
  name?: string | undefined;
  phone_number?: string | undefined;
  identifier?: string | undefined;
}

interface Conversation {
  readonly id: number;
  readonly inbox_id: number;
  readonly contact_id: number;
  /** By which the inbox knows the contact; an agent's own choice has none here. */
  readonly source_id?: string;
  last_activity_at: number;
}

export interface MockMessage {
  readonly id: number;
  readonly conversation_id: number;
  readonly content: string;
  readonly message_type: number;
  readonly private: boolean;
  readonly created_at: number;
  readonly content_attributes: { readonly external_id?: string; readonly deleted?: boolean };
  readonly attachments?: readonly { readonly file_type: string; readonly data_url: string }[];
}

const seconds = () => Math.floor(Date.now() / 1000);

/** What a correct client does not ask for. */
class MockError extends Error {}

export class MockChatwoot implements AsyncDisposable {
  readonly token = 'an-access-token-of-an-administrator';
  readonly inboxes: { readonly id: number; readonly name: string; readonly channel_type: string }[] = [];
  readonly contacts: MockContact[] = [];
  readonly conversations: Conversation[] = [];
  readonly messages: MockMessage[] = [];
  /** Refused requests, which a correct client does not make. */
  readonly refused: string[] = [];
  /** The next so many new messages of the bridge are stored, and the response is lost: at once, or by silence. */
  responsesToCut = 0;
  responsesToHold = 0;
  /** The next so many new messages are refused: there were too many in the last minute. */
  messagesToRefuse = 0;
  /** Files above this are refused. */
  maxFileBytes = 40 * 1_048_576;
  readonly #webhooks: { readonly url: string }[] = [];
  readonly #files: File[] = [];
  readonly #server: Server;
  #port = 0;
  #ids = 100;

  constructor() {
    this.#server = createAdaptorServer({ fetch: this.#app().fetch }) as Server;
    this.#server.on('request', ({ method, url }: IncomingMessage, response: ServerResponse) => {
      if (method !== 'POST' || !url?.endsWith('/messages')) return;
      const end = response.end.bind(response);
      response.end = ((...args: Parameters<typeof end>) => {
        if (this.responsesToHold > 0) {
          this.responsesToHold--;
        } else if (this.responsesToCut > 0) {
          this.responsesToCut--;
          response.destroy();
        } else {
          end(...args);
        }
        return response;
      }) as typeof end;
    });
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** At the same address as before; what it has stored is still there. */
  async start(): Promise<void> {
    this.#port = await listening(this.#server, this.#port);
  }

  /** Ends all connections, whatever they are about. */
  async kill(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#server.listening) await this.kill();
  }

  of(contact: Partial<MockContact>): MockMessage[] {
    const own = this.contacts.filter((one) =>
      Object.entries(contact).every(([name, value]) => one[name as 'name'] === value),
    );
    const conversations = this.conversations.filter(({ contact_id }) => own.some(({ id }) => id === contact_id));
    return this.messages.filter(({ conversation_id }) => conversations.some(({ id }) => id === conversation_id));
  }

  /** What an agent writes in the conversation with a contact. `webhook: false`: Chatwoot loses it. */
  async reply(
    contact: Partial<MockContact>,
    content: string,
    options: { file?: File; isPrivate?: boolean; webhook?: boolean } = {},
  ) {
    const found = this.of(contact).at(-1);
    if (!found) throw new Error('there is no conversation');
    const message = this.#add(found.conversation_id, {
      content,
      message_type: 1,
      private: options.isPrivate ?? false,
      content_attributes: {},
      file: options.file,
    });
    if (options.webhook ?? true) await this.#report(message);
    return message;
  }

  /** An agent begins a conversation. */
  begin(inbox_id: number, contact: Omit<MockContact, 'id'>, content: string) {
    const { id: contact_id } = this.#put(this.contacts, contact);
    const { id } = this.#put(this.conversations, { inbox_id, contact_id, last_activity_at: seconds() });
    return this.#report(this.#add(id, { content, message_type: 1, private: false, content_attributes: {} }));
  }

  async bytesOf(attachment: { readonly data_url: string }): Promise<Buffer> {
    return Buffer.from(await this.#fileOf(attachment.data_url).arrayBuffer());
  }

  #fileOf(url: string): File {
    const file = this.#files[Number(/\/files\/(\d+)\//.exec(url)?.[1])];
    if (!file) throw new Error(`there is no file ${url}`);
    return file;
  }

  #put<T extends { readonly id: number }>(list: T[], fields: Omit<T, 'id'>): T {
    const entry = { id: ++this.#ids, ...fields } as T;
    list.push(entry);
    return entry;
  }

  #add(
    conversation_id: number,
    { file, ...fields }: Omit<MockMessage, 'id' | 'conversation_id' | 'created_at'> & { file?: File | undefined },
  ): MockMessage {
    const conversation = this.conversations.find(({ id }) => id === conversation_id);
    if (conversation) conversation.last_activity_at = seconds();
    if (!file) return this.#put(this.messages, { conversation_id, created_at: seconds(), ...fields });
    const kind = file.type.split('/')[0] ?? '';
    const file_type = ['image', 'audio', 'video'].includes(kind) ? kind : 'file';
    const data_url = `${this.url}/files/${this.#files.push(file) - 1}/${encodeURIComponent(file.name)}`;
    return this.#put(this.messages, {
      conversation_id,
      created_at: seconds(),
      ...fields,
      attachments: [{ file_type, data_url }],
    });
  }

  /** Once: a webhook that fails is not repeated. */
  async #report(message: MockMessage): Promise<void> {
    const conversation = this.conversations.find(({ id }) => id === message.conversation_id);
    const body = {
      event: 'message_created',
      ...message,
      message_type: message.message_type === 0 ? 'incoming' : 'outgoing',
      inbox: { id: conversation?.inbox_id },
      conversation: { id: message.conversation_id },
    };
    const signal = AbortSignal.timeout(5_000);
    const headers = { 'Content-Type': 'application/json' };
    const init = { method: 'POST', headers, body: JSON.stringify(body), signal };
    await Promise.allSettled(this.#webhooks.map(({ url }) => fetch(url, init)));
  }

  #shown(conversation: Conversation) {
    const {
      name,
      phone_number = null,
      identifier = null,
      id,
    } = this.contacts.find((contact) => contact.id === conversation.contact_id) ?? { id: 0 };
    return { ...conversation, meta: { sender: { id, name, phone_number, identifier } } };
  }

  #app(): Hono {
    const app = new Hono();
    const api = new Hono();
    app.get('/files/:id/:name', (c) => {
      const file = this.#fileOf(c.req.path);
      return new Response(file.stream(), { headers: { 'Content-Type': file.type } });
    });
    app.onError((error, c) => {
      // Otherwise it was cut off.
      if (v.isValiError(error) || error instanceof MockError)
        this.refused.push(`${c.req.method} ${c.req.path}: ${error.message}`);
      return c.json({ errors: [{ field: '', message: error.message, code: '' }] }, v.isValiError(error) ? 422 : 404);
    });
    api.use(async (c, next) => {
      if (c.req.header('api_access_token') !== this.token) return c.json({ error: 'Invalid Access Token' }, 401);
      return next();
    });

    api.get('/inboxes', (c) => c.json({ payload: this.inboxes }));
    api.post('/inboxes/', async (c) => {
      const { name } = v.parse(BODIES.inbox, await c.req.json());
      return c.json(this.#put(this.inboxes, { name, channel_type: 'Channel::Api' }));
    });
    api.patch('/inboxes/:id', async (c) => {
      v.parse(BODIES.lock, await c.req.json());
      return c.json({});
    });
    api.get('/webhooks', (c) => c.json({ payload: { webhooks: this.#webhooks } }));
    api.post('/webhooks', async (c) => {
      const { url } = v.parse(BODIES.webhook, await c.req.json());
      this.#webhooks.push({ url });
      return c.json({ payload: { webhook: { url } } });
    });

    api.post('/contacts/filter', async (c) => {
      const [{ attribute_key, values }] = v.parse(BODIES.filter, await c.req.json()).payload;
      const value = attribute_key === 'phone_number' ? `+${values[0]}` : values[0];
      return c.json({ payload: this.contacts.filter((contact) => contact[attribute_key] === value) });
    });
    const isTaken = (fields: Partial<MockContact>, own?: number) =>
      (['phone_number', 'identifier'] as const).some((name) =>
        this.contacts.some((one) => one.id !== own && fields[name] !== undefined && one[name] === fields[name]),
      );
    api.post('/contacts', async (c) => {
      const { inbox_id: _, ...fields } = v.parse(BODIES.contact, await c.req.json());
      if (isTaken(fields)) return c.json({ message: 'Phone number or identifier has already been taken' }, 422);
      return c.json({ payload: { contact: this.#put(this.contacts, fields) } });
    });
    api.put('/contacts/:id', async (c) => {
      const contact = this.contacts.find(({ id }) => id === Number(c.req.param('id')));
      const fields = v.parse(BODIES.update, await c.req.json());
      if (!contact) return c.notFound();
      if (isTaken(fields, contact.id)) return c.json({ message: 'has already been taken' }, 422);
      Object.assign(contact, fields);
      return c.json({ payload: contact });
    });
    api.get('/contacts/:id/conversations', (c) => {
      const own = this.conversations.filter(({ contact_id }) => contact_id === Number(c.req.param('id')));
      return c.json({ payload: own.slice(-MAX_OF_CONTACT).map((one) => this.#shown(one)) });
    });

    api.get('/conversations', (c) => {
      const { inbox_id, status, assignee_type, page } = c.req.query();
      if (status !== 'all' || assignee_type !== 'all') throw new MockError('resolved and assigned ones are left out');
      const own = this.conversations.filter((one) => one.inbox_id === Number(inbox_id));
      own.sort((one, other) => other.last_activity_at - one.last_activity_at);
      const from = (Number(page) - 1) * PAGE_OF_CONVERSATIONS;
      const payload = own.slice(from, from + PAGE_OF_CONVERSATIONS).map((one) => this.#shown(one));
      return c.json({ data: { meta: { all_count: own.length }, payload } });
    });
    api.post('/conversations', async (c) => {
      const { status: _, ...fields } = v.parse(BODIES.conversation, await c.req.json());
      const ofSource = this.conversations.find(
        (one) => one.inbox_id === fields.inbox_id && one.source_id === fields.source_id,
      );
      if (ofSource && ofSource.contact_id !== fields.contact_id)
        return c.json({ message: 'source_id should be unique' }, 422);
      return c.json(ofSource ?? this.#put(this.conversations, { ...fields, last_activity_at: seconds() }));
    });
    api.get('/conversations/:id', (c) => {
      const conversation = this.conversations.find(({ id }) => id === Number(c.req.param('id')));
      return conversation ? c.json(this.#shown(conversation)) : c.notFound();
    });
    api.get('/conversations/:id/messages', (c) => {
      const own = this.messages.filter((one) => one.conversation_id === Number(c.req.param('id')));
      const { before, after } = c.req.query();
      if (after !== undefined)
        return c.json({ payload: own.filter(({ id }) => id > Number(after)).slice(0, PAGE_AFTER) });
      return c.json({ payload: own.filter(({ id }) => !before || id < Number(before)).slice(-PAGE_BEFORE) });
    });
    api.post('/conversations/:id/messages', async (c) => {
      const conversation_id = Number(c.req.param('id'));
      if (!this.conversations.some(({ id }) => id === conversation_id)) return c.notFound();
      const isForm = c.req.header('Content-Type')?.startsWith('multipart/form-data');
      const form = isForm ? v.parse(BODIES.form, await c.req.parseBody()) : undefined;
      const body = form ?? v.parse(BODIES.message, await c.req.json());
      const [file] = form?.['attachments[]'] ?? [];
      if (this.messagesToRefuse > 0) {
        this.messagesToRefuse--;
        return c.json({ error: 'Validation failed: Too many messages' }, 422);
      }
      if (file && file.size > this.maxFileBytes) return c.json({ message: 'File is too big' }, 422);
      const message = this.#add(conversation_id, {
        content: body.content,
        message_type: body.message_type === 'incoming' ? 0 : 1,
        private: 'private' in body && body.private === true,
        content_attributes:
          'content_attributes' in body
            ? body.content_attributes
            : { external_id: body['content_attributes[external_id]'] },
        file,
      });
      void this.#report(message);
      return c.json(message);
    });
    return app.route('/api/v1/accounts/7', api);
  }
}
