import type { ListedChat, ListedPhone, Page, PhoneMessage } from '../api.ts';
import type { OutgoingMessage } from '../control/inputs.ts';
import type { Account } from '../network/account.ts';

const TIMEOUT_MS = 10_000;
const MEDIA_TIMEOUT_MS = 60_000;

/** A refusal of the control API, as a sentence for people. */
export class Refusal extends Error {}

export const listPhones = (search: string) => get<ListedPhone[]>(`/phones?search=${encodeURIComponent(search)}`);
/** Without the ages of QRs, which change constantly. */
export const listPages = async () => (await get<Page[]>('/pages')).map(({ qrAgeMs: _, ...page }) => page);
export const getAccount = (number: string) => get<Account>(of(number));
export const listChats = (number: string) => get<ListedChat[]>(`${of(number)}/chats`);
/** The newest messages of a chat, oldest first. */
export const listMessages = (number: string, chat: string, limit: number) =>
  get<PhoneMessage[]>(`${of(number)}/messages?with=${encodeURIComponent(chat)}&limit=${limit}`);

export const scan = (number: string, qr: string) => change('POST', `${of(number)}/scan`, { qr });
export const pair = (number: string, code: string) => change('POST', `${of(number)}/pair`, { code });
export const unlink = (number: string, deviceId: string) => change('POST', `${of(number)}/logout`, { deviceId });
export const requirePasskey = (number: string, required: boolean) =>
  change('PUT', `${of(number)}/passkey`, { required });
export const continueLinking = (number: string) => change('POST', `${of(number)}/passkey/continue`, {});
export const turn = (number: string, online: boolean) => change('PUT', `${of(number)}/online`, { online });
export const read = (number: string, from: string) => change('POST', `${of(number)}/read`, { from });
export const send = (number: string, message: OutgoingMessage) => change('POST', `${of(number)}/messages`, message);

const of = (number: string) => `/accounts/${encodeURIComponent(number)}`;

async function get<T>(path: string): Promise<T> {
  return (await request('GET', path)) as T;
}

async function change(method: 'POST' | 'PUT', path: string, body: object): Promise<void> {
  await request(method, path, body);
}

/** Rejects with a `Refusal`, or with another error if no simulator answers. */
async function request(method: string, path: string, body?: object): Promise<unknown> {
  const signal = AbortSignal.timeout(body && 'media' in body ? MEDIA_TIMEOUT_MS : TIMEOUT_MS);
  const init = body ? { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } } : {};
  const response = await fetch(path, { method, signal, ...init });
  const answer: unknown = await response.json();
  if (!response.ok) throw new Refusal(sentence((answer as { error: string }).error));
  return answer;
}

/** `to: 1202@c.us is not registered` has a field and an id, which people have not seen. */
function sentence(error: string): string {
  const text = error.replace(/^\w+: /, '').replaceAll('@c.us', '');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
