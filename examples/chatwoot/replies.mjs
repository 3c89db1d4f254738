/** From Chatwoot to WhatsApp: what agents, bots and automations write. */
import { appendFile, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** Messages can become visible in another order than that of their ids: so many ids are read again. */
const OVERLAP_IDS = 200;
const OVERLAP_SECONDS = 600;
const MAX_WAIT_MS = 60_000;
const MAX_ATTEMPTS = 5;
/** Types of messages: outgoing ones, and those of Chatwoot itself, such as a greeting. */
const REPLIES = [1, 3];
/** Refusals of the gateway that end: an operator corrects the key, the session starts, a limit passes. */
const TEMPORARY = [401, 408, 409, 429, 503];
const CREATED = { encoding: 'utf8', flag: 'a+' };

/** `account` is that of Chatwoot. `folder` keeps which replies were sent. */
export async function openReplies({ client, chatwoot, inboxes, account, folder }) {
  const file = join(folder, 'replies.jsonl');
  const sweptFile = join(folder, 'swept');
  /** By conversation: its newest messages that are done. */
  const done = new Map();
  /** Conversations that wait for their turn, and what each session is busy with. */
  const waiting = new Set();
  const work = new Map();
  /** Failures by message. */
  const attempts = new Map();

  // The end of a line may be missing after a crash: its reply is sent again under the same key, and so only once.
  const text = await readFile(file, CREATED);
  const lines = text.split('\n').flatMap((line) => (line.endsWith('}') ? JSON.parse(line) : []));
  /** What was written before the bridge started for the first time is not sent. */
  const from = lines[0]?.from ?? Math.floor(Date.now() / 1000);
  for (const { conversation, message } of lines.slice(1)) markDone(conversation, message);
  const rest = [...done].flatMap(([conversation, ids]) => [...ids].map((message) => ({ conversation, message })));
  await writeFile(`${file}.new`, [{ from }, ...rest].map((line) => JSON.stringify(line)).join('\n'));
  await rename(`${file}.new`, file);
  let swept = Number(await readFile(sweptFile, CREATED)) || from;

  return { from, look, sweep };

  /** Sends what is new in a conversation. */
  function look(session, conversation) {
    if (waiting.has(conversation)) return;
    waiting.add(conversation);
    work.set(session, sendNew(session, conversation, work.get(session)));
  }

  /** Looks at conversations with recent activity: Chatwoot does not repeat a webhook. */
  async function sweep() {
    const startedAt = Date.now() / 1000;
    for (const [session, inbox] of inboxes) {
      for (let page = 1, isRecent = true; isRecent; page++) {
        const conversations = await chatwoot.conversations(inbox, page);
        for (const { id } of conversations) look(session, id);
        isRecent = conversations.some(({ last_activity_at }) => last_activity_at > swept - OVERLAP_SECONDS);
      }
    }
    swept = startedAt;
    await writeFile(sweptFile, String(swept));
  }

  async function sendNew(session, conversation, before) {
    await before;
    waiting.delete(conversation);
    for (let waitMs = 1000; ; waitMs = Math.min(2 * waitMs, MAX_WAIT_MS)) {
      try {
        return await readOn(session, conversation);
      } catch (error) {
        if (error.chatwoot === 404) return; // The conversation was deleted.
        console.error(`conversation ${conversation}: ${error.message}`);
        await delay(waitMs);
      }
    }
  }

  async function readOn(session, conversation) {
    let after = Math.max(OVERLAP_IDS, ...(done.get(conversation) ?? [])) - OVERLAP_IDS;
    for (let isMore = true; isMore; ) {
      const messages = await chatwoot.messages(conversation, { after });
      isMore = messages.length === 100;
      for (const message of messages) {
        after = Math.max(after, message.id);
        if (done.get(conversation)?.has(message.id)) continue;
        if (isReply(message)) {
          const { inbox_id, meta } = await chatwoot.conversation(conversation);
          if (inbox_id !== inboxes.get(session)) return;
          await send(session, meta.sender.phone_number || meta.sender.identifier, message, conversation);
          await appendFile(file, `\n${JSON.stringify({ conversation, message: message.id })}`);
        }
        markDone(conversation, message.id);
      }
    }
  }

  function isReply({ message_type, private: isNote, content_attributes, created_at }) {
    if (!REPLIES.includes(message_type) || isNote || created_at < from) return false;
    // With an external id, it is a copy of what was written on the phone.
    return !content_attributes?.external_id && !content_attributes?.deleted;
  }

  function markDone(conversation, message) {
    const ids = (done.get(conversation) ?? new Set()).add(message);
    for (const id of ids) if (id < message - 2 * OVERLAP_IDS) ids.delete(id);
    done.set(conversation, ids);
  }

  /** An attachment is a message of its own; the first one has the text as its caption. */
  async function send(session, to, message, conversation) {
    const parts = message.attachments?.length ? message.attachments : [undefined];
    for (const [index, attachment] of parts.entries()) {
      const text = index === 0 && message.content ? message.content : undefined;
      if (!attachment && !text) continue;
      try {
        const part = attachment ? await mediaOf(attachment, text) : { type: 'text', body: text };
        const options = { idempotencyKey: `chatwoot-${account}-${message.id}-${index}` };
        await client.sendMessage({ id: session, to, ...part }, options);
      } catch (error) {
        if (error.code === 'idempotency_key_reused') continue; // It was sent to another id of the same person.
        if (!(await isFinal(error, session, message.id))) throw error;
        const note = { message_type: 'outgoing', private: true, content: `Not sent: ${error.message}` };
        await chatwoot.createOnce(conversation, `not-sent-${message.id}-${index}`, message.created_at, note);
      }
      attempts.delete(message.id);
    }
  }

  /** A message that can never be sent, or whose outcome stays unknown, does not hold up the later ones. */
  async function isFinal({ chatwoot: ofChatwoot, code, status }, session, message) {
    if (ofChatwoot || TEMPORARY.includes(status) || code === 'session_not_found') return false;
    if (status < 500) return true;
    if ((await client.getSessionStatus({ id: session })).status !== 'ready') return false;
    attempts.set(message, (attempts.get(message) ?? 0) + 1);
    return attempts.get(message) >= MAX_ATTEMPTS;
  }

  async function mediaOf({ data_url, file_type }, caption) {
    const response = await fetch(data_url, { signal: AbortSignal.timeout(MAX_WAIT_MS) });
    if (!response.ok) throw new Error(`${response.status} for ${data_url}`);
    const type = ['image', 'audio', 'video'].includes(file_type) ? file_type : 'document';
    const filename = decodeURIComponent(new URL(data_url).pathname.split('/').at(-1));
    const mimeType = response.headers.get('Content-Type')?.replace(/;.*/, '');
    return { type, base64: await response.blob(), mimeType, filename, ...(caption && { caption }) };
  }
}
