/** From Chatwoot to WhatsApp: what agents, bots and automations write in the inbox of a session. */
import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** Messages may become visible in a different order from their ids: the last ids are read again, this many. */
const OVERLAP_IDS = 200;
const OVERLAP_SECONDS = 600;
const MAX_WAIT_SECONDS = 60;
const MAX_ATTEMPTS = 10;
/** Types of messages: outgoing ones, and those of Chatwoot itself, such as a greeting. */
const REPLIES = [1, 3];
/** Refusals of the gateway that pass: the key is corrected, the session becomes ready, a limit ends. */
const TEMPORARY = [401, 408, 409, 429, 503];
const now = () => Math.floor(Date.now() / 1000);

/** The folder keeps which replies are done, and the last time when none was left. */
export async function openReplies({ client, chatwoot, session, inbox, folder }) {
  const file = join(folder, `${session}.replies`);
  const log = (line) => appendFile(file, `\n${JSON.stringify(line)}`);
  /** By conversation: its newest messages that are done. */
  const done = new Map();
  const [waiting, attempts] = [new Set(), new Map()];
  let woken = new AbortController();

  const text = await readFile(file, { encoding: 'utf8', flag: 'a+' });
  // A crash may leave a line incomplete: its reply is sent again under the same key, and so arrives once.
  const lines = text.split('\n').flatMap((line) => (line.endsWith('}') ? JSON.parse(line) : []));
  for (const { conversation, message } of lines) if (conversation) markDone(conversation, message);
  const times = lines.flatMap(({ swept }) => swept ?? []);
  /** What was written before the bridge started for the first time is not sent. */
  const [from = now()] = times;
  if (times.length === 0) await log({ swept: from });

  return { from, look, run };

  /** A webhook has reported a reply. Anyone can send webhooks: hence the bound. */
  function look(conversation) {
    if (waiting.size < 10_000) waiting.add(conversation);
    woken.abort();
  }

  /** Sends replies until the process ends. Webhooks are not repeated: recent conversations are read regularly. */
  async function run(everySeconds) {
    for (let swept = times.at(-1) ?? from, due = 0, failures = 0; ; ) {
      woken = new AbortController();
      const startedAt = now();
      try {
        if (startedAt >= due) await addRecent(swept - OVERLAP_SECONDS);
        if (startedAt >= due) [swept, due] = [startedAt, startedAt + everySeconds];
        await sendWaiting();
        if (swept === startedAt) await log({ swept });
        failures = 0;
      } catch (error) {
        console.error(`session ${session}: ${error.message}`);
        failures++;
      }
      const seconds = failures === 0 ? Math.max(0, due - now()) : Math.min(2 ** failures, MAX_WAIT_SECONDS);
      await delay(seconds * 1000, undefined, { signal: woken.signal }).catch(() => {});
    }
  }

  async function addRecent(since) {
    for (let page = 1, count = 1; count > 0; page++) {
      const query = `inbox_id=${inbox}&status=all&assignee_type=all&page=${page}`; // The newest activity first.
      const { payload } = (await chatwoot.call('GET', `conversations?${query}`)).data;
      const recent = payload.filter(({ last_activity_at }) => last_activity_at > since);
      for (const { id } of recent) waiting.add(id);
      count = recent.length;
    }
  }

  /** Sends all that can be sent; then throws the last failure, if any. */
  async function sendWaiting() {
    let failure;
    for (const conversation of [...waiting]) {
      waiting.delete(conversation);
      await readOn(conversation).catch((error) => {
        if (error.chatwoot === 404) return; // It was deleted.
        waiting.add(conversation);
        failure = error;
      });
    }
    if (failure) throw failure;
  }

  async function readOn(conversation) {
    let after = Math.max(OVERLAP_IDS, ...(done.get(conversation) ?? [])) - OVERLAP_IDS;
    for (let count = 100; count === 100; ) {
      const { payload } = await chatwoot.call('GET', `conversations/${conversation}/messages?after=${after}`);
      count = payload.length;
      for (const message of payload) {
        after = Math.max(after, message.id);
        if (done.get(conversation)?.has(message.id)) continue;
        const isNew = isReply(message);
        if (isNew && !(await send(conversation, message))) return;
        // So that a long conversation is not read from its beginning after each restart.
        if (isNew || message === payload[99]) await log({ conversation, message: message.id });
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

  /** False if the conversation belongs to another inbox. Each attachment is a message of its own. */
  async function send(conversation, message) {
    const { inbox_id, meta } = await chatwoot.call('GET', `conversations/${conversation}`);
    if (inbox_id !== inbox) return false;
    const { phone_number, identifier } = meta.sender;
    const id = /@(lid|g\.us)$/.test(identifier) ? identifier : undefined; // Others belong to other systems.
    const to = id?.endsWith('@g.us') ? id : phone_number || id;
    const files = message.attachments ?? [];
    // The first file has the text as its caption; WhatsApp has no captions of audio.
    const parts = files[0] && (files[0].file_type !== 'audio' || !message.content) ? files : [undefined, ...files];
    for (const [index, file] of parts.entries()) {
      const text = index === 0 && message.content ? message.content : undefined;
      if (!file && !text) continue;
      const idempotencyKey = `chatwoot-${from}-${message.id}-${index}`;
      try {
        const content = file ? { ...(await mediaOf(file)), caption: text } : { type: 'text', body: text };
        await client.sendMessage({ id: session, to, ...content }, { idempotencyKey });
      } catch (error) {
        if (!(await isFinal(error, idempotencyKey))) throw error;
        const isUnknown = ['outcome_unknown', 'idempotency_key_reused'].includes(error.code);
        const content = `${isUnknown ? 'Perhaps not sent, see the phone' : 'Not sent'}: ${error.message}`;
        const note = { message_type: 'outgoing', private: true, content };
        await chatwoot.createOnce(conversation, idempotencyKey, message.created_at, note);
      }
      attempts.delete(idempotencyKey);
    }
    return true;
  }

  /** A message that cannot be sent, or whose outcome stays unknown, does not hold up the later ones. */
  async function isFinal({ chatwoot: ofChatwoot, code, status, retryAfterSeconds = 0 }, key) {
    // For example the limit on messages to new people: each attempt counts against the account.
    if (retryAfterSeconds > OVERLAP_SECONDS) return true;
    if (ofChatwoot || TEMPORARY.includes(status) || code === 'session_not_found') return false;
    if (status < 500) return true;
    if ((await client.getSessionStatus({ id: session })).status !== 'ready') return false;
    attempts.set(key, (attempts.get(key) ?? 0) + 1);
    return attempts.get(key) >= MAX_ATTEMPTS;
  }

  async function mediaOf({ data_url }) {
    const response = await fetch(data_url, { signal: AbortSignal.timeout(MAX_WAIT_SECONDS * 1000) });
    if (!response.ok) throw new Error(`${response.status} for ${data_url}`);
    const mimeType = response.headers.get('Content-Type')?.replace(/;.*/, '');
    const [type = 'document'] = /^(image(?=\/(jpeg|png|webp)$)|audio|video)/.exec(mimeType) ?? [];
    const filename = decodeURIComponent(new URL(data_url).pathname.split('/').at(-1));
    return { type, base64: await response.blob(), mimeType, filename };
  }
}
