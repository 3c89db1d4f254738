/** Chatwoot's API. Ids are numbers, times are Unix seconds. */
import { setTimeout as delay } from 'node:timers/promises';

/** Longer than Chatwoot works on a request by default: after a timeout, it no longer takes effect. */
const [TIMEOUT_MS, UPLOAD_TIMEOUT_MS] = [60_000, 600_000];
/** How much the clocks of Chatwoot and the gateway may differ. */
const CLOCKS_SECONDS = 600;

/** `token` is the access token of an administrator. Errors have the status of the response as `chatwoot`. */
export function createChatwoot({ url, account, token }) {
  const base = new URL(`api/v1/accounts/${account}/`, url.endsWith('/') ? url : `${url}/`);
  /** By conversation and kind: a start time, and the ids of WhatsApp messages that were found there from that time on. */
  const present = new Map();

  async function call(method, path, body) {
    const isForm = body instanceof FormData;
    const response = await fetch(new URL(path, base), {
      method,
      headers: { api_access_token: token, ...(body && !isForm && { 'Content-Type': 'application/json' }) },
      body: body && !isForm ? JSON.stringify(body) : body,
      redirect: 'error', // It would turn a POST into a GET.
      signal: AbortSignal.timeout(isForm ? UPLOAD_TIMEOUT_MS : TIMEOUT_MS),
    });
    const text = await response.text();
    if (response.ok) return text === '' ? undefined : JSON.parse(text);
    const message = `Chatwoot: ${response.status} for ${method} ${path}: ${text.slice(0, 300)}`;
    const isRefused = [400, 413, 422].includes(response.status) && !text.includes('Too many messages');
    throw Object.assign(new Error(message), { chatwoot: response.status, isRefused });
  }

  async function externalIdsSince(conversation, since) {
    const ids = new Set();
    for (let query = ''; ; ) {
      const { payload } = await call('GET', `conversations/${conversation}/messages${query}`);
      for (const { content_attributes } of payload) ids.add(content_attributes?.external_id);
      if (payload.length === 0 || payload[0].created_at < since) return ids;
      query = `?before=${payload[0].id}`;
    }
  }

  return {
    call,
    /** Forgets what was found: it is looked up again. */
    forget: () => present.clear(),

    /** Creates a message, unless an earlier process or request has already created it at some time from `since` on. */
    async createOnce(conversation, externalId, since, { file, ...fields }) {
      const key = `${conversation} ${fields.private}`; // Arrivals and notes are created side by side.
      let [start, ids] = present.get(key) ?? [Infinity];
      if (since < start) [start, ids] = [since, await externalIdsSince(conversation, since - CLOCKS_SECONDS)];
      present.set(key, [start, ids]);
      if (ids.has(externalId)) return;
      const form = new FormData();
      for (const [name, value] of Object.entries(fields)) form.set(name, value);
      form.set('content_attributes[external_id]', externalId);
      if (file) form.set('attachments[]', file.blob, file.name);
      // A form would turn line breaks into CRLF.
      const body = file ? form : { ...fields, content_attributes: { external_id: externalId } };
      await call('POST', `conversations/${conversation}/messages`, body).catch(async (error) => {
        present.delete(key);
        if (!(error.chatwoot < 500)) await delay(2_000); // It may take effect a moment later.
        throw error;
      });
    },
  };
}
