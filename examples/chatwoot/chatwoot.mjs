/** The calls of Chatwoot's API that the bridge makes. Ids are numbers, times are Unix seconds. */

/** Longer than Chatwoot works on a request: a timed out one does not take effect any more. */
const TIMEOUT_MS = 60_000;
/** How much the clocks of Chatwoot and the gateway may differ. */
const CLOCKS_SECONDS = 600;

/** `token` is the access token of an administrator. Errors have the status of the response as `chatwoot`. */
export function createChatwoot({ url, account, token }) {
  const base = new URL(`api/v1/accounts/${account}/`, url.endsWith('/') ? url : `${url}/`);
  /** Of each conversation, the ids of WhatsApp messages that it had when it was first looked at. */
  const present = new Map();

  async function call(method, path, body) {
    const isForm = body instanceof FormData;
    const response = await fetch(new URL(path, base), {
      method,
      headers: { api_access_token: token, ...(body && !isForm && { 'Content-Type': 'application/json' }) },
      body: body && !isForm ? JSON.stringify(body) : body,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const text = await response.text();
    if (response.ok) return text === '' ? undefined : JSON.parse(text);
    const message = `Chatwoot: ${response.status} for ${method} ${path}: ${text.slice(0, 300)}`;
    throw Object.assign(new Error(message), { chatwoot: response.status });
  }

  /** Up to 100 messages `after` an id, or 20 `before` one, or without both the newest 20. Oldest first. */
  async function messages(conversation, range) {
    return (await call('GET', `conversations/${conversation}/messages?${new URLSearchParams(range)}`)).payload;
  }

  async function externalIdsSince(conversation, since) {
    const ids = new Set();
    for (let range = {}; ; ) {
      const page = await messages(conversation, range);
      for (const { content_attributes } of page) ids.add(content_attributes?.external_id);
      if (page.length === 0 || page[0].created_at < since) return ids;
      range = { before: page[0].id };
    }
  }

  return {
    messages,
    createContact: async (fields) => (await call('POST', 'contacts', fields)).payload.contact,
    updateContact: (id, fields) => call('PUT', `contacts/${id}`, fields),
    createConversation: async (fields) => (await call('POST', 'conversations', fields)).id,
    conversation: (id) => call('GET', `conversations/${id}`),

    /** The API inbox of this name, which is created if there is none. */
    async inbox(name) {
      const { payload } = await call('GET', 'inboxes');
      const found = payload.find((inbox) => inbox.name === name && inbox.channel_type === 'Channel::Api');
      return (found ?? (await call('POST', 'inboxes/', { name, channel: { type: 'api' } }))).id;
    },

    /** Has new messages reported to this URL. */
    async addWebhook(url) {
      const { payload } = await call('GET', 'webhooks');
      if (!(payload.webhooks ?? payload).some((webhook) => webhook.url === url))
        await call('POST', 'webhooks', { url, subscriptions: ['message_created'] });
    },

    /** The contact whose `phone_number` or `identifier` is this. */
    async findContact(attribute_key, value) {
      const condition = { attribute_key, filter_operator: 'equal_to', values: [value], query_operator: null };
      const { payload } = await call('POST', 'contacts/filter', { payload: [condition] });
      return payload.find((contact) => contact[attribute_key] === value);
    },

    /** The conversation of a contact and an inbox with the newest activity. */
    async findConversation(contact, inbox) {
      const { payload } = await call('GET', `contacts/${contact}/conversations`);
      const ofInbox = payload.filter(({ inbox_id }) => inbox_id === inbox);
      return ofInbox.sort((one, other) => other.last_activity_at - one.last_activity_at)[0]?.id;
    },

    /** A page (from 1) of the conversations of an inbox, by activity, the newest first. */
    async conversations(inbox, page) {
      const query = `inbox_id=${inbox}&status=all&assignee_type=all&page=${page}`;
      return (await call('GET', `conversations?${query}`)).data.payload;
    },

    /**
     * Creates a message, unless the conversation has it already: from a process that was killed, or by a request that
     * failed. `externalId` identifies it; it cannot have been created before `since`.
     */
    async createOnce(conversation, externalId, since, { file, ...fields }) {
      const ids = present.get(conversation) ?? (await externalIdsSince(conversation, since - CLOCKS_SECONDS));
      present.set(conversation, ids);
      if (ids.has(externalId)) return;
      const form = new FormData();
      for (const [name, value] of Object.entries(fields)) form.set(name, value);
      form.set('content_attributes[external_id]', externalId);
      if (file) form.set('attachments[]', file.blob, file.name);
      // A form has other ends of lines.
      const body = file ? form : { ...fields, content_attributes: { external_id: externalId } };
      await call('POST', `conversations/${conversation}/messages`, body).catch((error) => {
        present.delete(conversation);
        throw error;
      });
    },
  };
}
