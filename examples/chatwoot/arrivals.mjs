/** From WhatsApp to Chatwoot: what people write, and what the account itself writes on its phone. */

/** Chatwoot's default limit for attachments. */
const MAX_FILE_BYTES = 40 * 1_048_576;
/** Chatwoot fails on texts that its database cannot store. */
const stored = (text) => text.replaceAll('\0', '').toWellFormed();

/** Returns the handler of `message` and `message_sent`. If a note is given, it replaces the file. */
export function createArrivals({ client, chatwoot, inboxes }) {
  /** Conversations by session and chat. */
  const conversations = new Map();

  return async function add({ session, at, data: message }, note) {
    const chat = message.fromMe ? message.to : message.from;
    const key = `${session} ${chat}`;
    const conversation = conversations.get(key) ?? (await conversationOf(session, chat, message, note));
    conversations.set(key, conversation);
    // A message that this device cannot show may come again later with its content, under the same id.
    const externalId = message.unavailable ? `${message.id} (${message.unavailable})` : message.id;
    const since = at === undefined ? message.timestamp : Date.parse(at) / 1000;
    const message_type = message.fromMe ? 'outgoing' : 'incoming';
    const fields = { message_type, ...(await contentOf(session, message, note)) };
    await chatwoot.createOnce(conversation, externalId, since, fields).catch((error) => {
      conversations.delete(key); // The conversation may have been deleted.
      throw error;
    });
  };

  async function conversationOf(session, chat, message, note) {
    const [inbox_id, contact_id] = [inboxes.get(session), await contactOf(session, chat, message, note)];
    const { payload } = await chatwoot.call('GET', `contacts/${contact_id}/conversations`);
    const found = payload.filter((conversation) => conversation.inbox_id === inbox_id);
    found.sort((one, other) => other.last_activity_at - one.last_activity_at);
    const fields = { inbox_id, contact_id, source_id: `contact ${contact_id}`, status: 'open' };
    return (found[0] ?? (await chatwoot.call('POST', 'conversations', fields))).id;
  }

  async function findContact(attribute_key, value) {
    if (!value) return undefined;
    const values = [value.replace('+', '')]; // Chatwoot adds the plus sign; some versions add it even if there is one.
    const condition = { attribute_key, filter_operator: 'equal_to', values, query_operator: null };
    const { payload } = await chatwoot.call('POST', 'contacts/filter', { payload: [condition] });
    return payload.find((contact) => contact[attribute_key] === value);
  }

  /** A person has one contact, with the number and the hidden id. */
  async function contactOf(session, chat, { fromMe, senderName }, note) {
    const isGroup = chat.endsWith('@g.us');
    const { phone_number, identifier } = isGroup ? { identifier: chat } : await idsOf(session, chat, note);
    const byNumber = await findContact('phone_number', phone_number);
    const found = byNumber ?? (await findContact('identifier', identifier));
    const ids = { phone_number: found?.phone_number || phone_number, identifier: found?.identifier || identifier };
    // Fails if each of the two has a contact: then they stay separate.
    if (found) await chatwoot.call('PUT', `contacts/${found.id}`, ids).catch((error) => console.error(error.message));
    if (found) return found.id;
    const group = isGroup ? await client.getChat({ id: session, chatId: chat }).catch(() => undefined) : undefined;
    const name = group?.name || (!isGroup && !fromMe && senderName) || phone_number || identifier;
    const fields = { inbox_id: inboxes.get(session), name: stored(name.slice(0, 255)), ...ids };
    return (await chatwoot.call('POST', 'contacts', fields)).payload.contact.id;
  }

  async function idsOf(session, chat, note) {
    const isHidden = chat.endsWith('@lid');
    const people = { id: session, ids: [chat] };
    const answer = await client.resolveContacts(people, { retries: 0 }).catch((error) => {
      // Only later messages need the hidden id of a number: do not wait for it.
      if (isHidden && !note) throw error;
    });
    const { number, lid } = answer?.contacts[0] ?? {};
    const digits = number ?? (isHidden ? '' : chat.replace(/@.*/, ''));
    const phone_number = /^[1-9]\d{1,14}$/.test(digits) ? `+${digits}` : undefined;
    return { phone_number, identifier: lid ?? (phone_number ? undefined : chat) };
  }

  async function contentOf(session, message, note) {
    const { id, type, author, senderName, fromMe, body, location, unavailable, hasMedia } = message;
    const writer = author && !fromMe ? `**${senderName ?? author.replace(/@.*/, '')}**` : undefined;
    const place = location && `https://maps.google.com/?q=${location.latitude},${location.longitude}`;
    const content = (remark) => stored([writer, body, place, remark && `[${remark}]`].filter(Boolean).join('\n'));
    if (note || unavailable) return { content: content(note ?? `${unavailable}: see the phone`) };
    if (!hasMedia) return { content: content(body || place ? undefined : type) };
    const { data, size, mimeType, filename } = await client.getMedia({ id: session, messageId: id });
    if (size > MAX_FILE_BYTES) return data.cancel().then(() => ({ content: content(`large ${type}: see the phone`) }));
    const blob = await new Response(data, { headers: { 'Content-Type': mimeType } }).blob();
    return { content: content(), file: { blob, name: stored(message.filename || filename || type) } };
  }
}
