/** From WhatsApp to Chatwoot: what people write, and what the account itself writes on its phone. */

/** What Chatwoot accepts by default. */
const MAX_FILE_BYTES = 40 * 1_048_576;

/**
 * Returns the handler of `message` and `message_sent`. An event that is delivered again changes nothing. With a note, the
 * message gets that instead of its file.
 */
export function createArrivals({ client, chatwoot, inboxes }) {
  /** Conversations by session and chat. */
  const conversations = new Map();

  return async function add({ session, at, data: message }, note) {
    const chat = message.fromMe ? message.to : message.from;
    const key = `${session} ${chat}`;
    const conversation = conversations.get(key) ?? (await conversationOf(session, chat, message));
    conversations.set(key, conversation);
    // What this device cannot show at first may come later, under the same id.
    const externalId = message.unavailable ? `${message.id} (${message.unavailable})` : message.id;
    const since = at === undefined ? message.timestamp : Date.parse(at) / 1000;
    const message_type = message.fromMe ? 'outgoing' : 'incoming';
    const fields = { message_type, ...(await contentOf(session, message, note)) };
    await chatwoot.createOnce(conversation, externalId, since, fields).catch((error) => {
      conversations.delete(key); // It may have been deleted.
      throw error;
    });
  };

  async function conversationOf(session, chat, message) {
    const inbox_id = inboxes.get(session);
    const contact_id = await contactOf(session, chat, message);
    const found = await chatwoot.findConversation(contact_id, inbox_id);
    const fields = { inbox_id, contact_id, source_id: `${session} ${chat}`, status: 'open' };
    return found ?? (await chatwoot.createConversation(fields));
  }

  /** A person has one contact, by number and by hidden id. */
  async function contactOf(session, chat, { fromMe, senderName }) {
    const isGroup = chat.endsWith('@g.us');
    const { phone_number, identifier } = isGroup ? { identifier: chat } : await idsOf(session, chat);
    const byNumber = phone_number && (await chatwoot.findContact('phone_number', phone_number));
    if (byNumber) return byNumber.id;
    const byId = identifier && (await chatwoot.findContact('identifier', identifier));
    if (byId && phone_number) await chatwoot.updateContact(byId.id, { phone_number });
    if (byId) return byId.id;
    const found = isGroup ? await client.getChat({ id: session, chatId: chat }).catch(() => undefined) : undefined;
    const name = found?.name ?? (isGroup || fromMe ? undefined : senderName) ?? phone_number ?? identifier;
    return (await chatwoot.createContact({ inbox_id: inboxes.get(session), name, phone_number, identifier })).id;
  }

  async function idsOf(session, chat) {
    const isHidden = chat.endsWith('@lid');
    // The hidden id of a number is of use only later: no message waits for it.
    const options = isHidden ? {} : { retries: 0 };
    const answer = await client.resolveContacts({ id: session, ids: [chat] }, options).catch(() => undefined);
    const { number = isHidden ? undefined : chat.replace(/@.*/, ''), lid = isHidden ? chat : undefined } =
      answer?.contacts[0] ?? {};
    return { phone_number: number ? `+${number}` : undefined, identifier: lid ?? undefined };
  }

  async function contentOf(session, message, note) {
    const { id, type, author, senderName, fromMe, body, location, unavailable, hasMedia } = message;
    const writer = author && !fromMe ? `**${senderName ?? author.replace(/@.*/, '')}**` : undefined;
    const place = location && `https://maps.google.com/?q=${location.latitude},${location.longitude}`;
    const content = (remark) => [writer, body, place, remark && `[${remark}]`].filter(Boolean).join('\n');
    if (note || unavailable) return { content: content(note ?? `${unavailable}: see the phone`) };
    if (!hasMedia) return { content: content(body || place ? undefined : type) };
    const { data, size, mimeType, filename } = await client.getMedia({ id: session, messageId: id });
    if (size > MAX_FILE_BYTES) return data.cancel().then(() => ({ content: content(`large ${type}: see the phone`) }));
    const blob = await new Response(data, { headers: { 'Content-Type': mimeType } }).blob();
    return { content: content(), file: { blob, name: message.filename ?? filename ?? type } };
  }
}
