import type { SimulatorClient } from '../api.ts';

const timeoutMs = 10_000;
const mediaTimeoutMs = 60_000;

/** The client of a simulator's control API, in this process or another one. */
export function connectSimulator(controlUrl: string): SimulatorClient {
  const ask = <T>(method: string, path: string, body?: object) => request<T>(controlUrl, method, path, body);
  const phone = (number: string) => `/accounts/${encodeURIComponent(number)}`;
  const message = (number: string, id: string) => `${phone(number)}/messages/${encodeURIComponent(id)}`;
  return {
    accounts: () => ask('GET', '/accounts'),
    account: (number) => ask('GET', phone(number)),
    addAccount: (seed) => ask('POST', '/accounts', seed),
    pages: () => ask('GET', '/pages'),
    scan: (number, qr) => ask('POST', `${phone(number)}/scan`, { qr }),
    pair: (number, code) => ask('POST', `${phone(number)}/pair`, { code }),
    send: (number, message) => ask('POST', `${phone(number)}/messages`, message),
    messages: (number, filter) => {
      const query = filter?.with === undefined ? '' : `?with=${encodeURIComponent(filter.with)}`;
      return ask('GET', `${phone(number)}/messages${query}`);
    },
    react: async (number, reaction) => void (await ask('POST', `${phone(number)}/reactions`, reaction)),
    edit: (number, { messageId, body }) => ask('PATCH', message(number, messageId), { body }),
    revoke: async (number, { messageId }) => void (await ask('DELETE', message(number, messageId))),
    media: (number, messageId) => ask('GET', `${message(number, messageId)}/media`),
    dropMedia: async (messageId) => void (await ask('DELETE', `/messages/${encodeURIComponent(messageId)}/media`)),
    age: async (messageId, ms) => void (await ask('POST', `/messages/${encodeURIComponent(messageId)}/age`, { ms })),
    createGroup: (number, group) => ask('POST', `${phone(number)}/groups`, group),
    groups: (number) => ask('GET', `${phone(number)}/groups`),
    updateGroup: (number, groupId, update) => {
      return ask('PATCH', `${phone(number)}/groups/${encodeURIComponent(groupId)}`, update);
    },
    profile: (number, change) => ask('PATCH', `${phone(number)}/profile`, change),
    contacts: async (number, change) => void (await ask('PATCH', `${phone(number)}/contacts`, change)),
    statuses: (number) => ask('GET', `${phone(number)}/statuses`),
    fill: async (number, amounts) => void (await ask('POST', `${phone(number)}/fill`, amounts)),
    read: (number, from) => ask('POST', `${phone(number)}/read`, { from }),
    setOnline: (number, online) => ask('PUT', `${phone(number)}/online`, { online }),
    logout: (number, options = {}) => ask('POST', `${phone(number)}/logout`, options),
    fault: async (number, kind) => void (await ask('PUT', `${phone(number)}/fault`, { kind })),
    restrict: async (number, restricted) => void (await ask('PUT', `${phone(number)}/restricted`, { restricted })),
    refuse: async (number, refusal) => void (await ask('PUT', `${phone(number)}/refusal`, refusal)),
    requirePasskey: async (number, required) => void (await ask('PUT', `${phone(number)}/passkey`, { required })),
    notice: (number, notice) => ask('POST', `${phone(number)}/notices`, notice),
    disconnect: (number) => ask('POST', `${phone(number)}/disconnect`),
    reconnect: (number) => ask('POST', `${phone(number)}/reconnect`),
    stall: async (number, stalled) => void (await ask('PUT', `${phone(number)}/stall`, { stalled })),
    disturb: (pageId, kind, ...[options]) => {
      return ask('POST', `/pages/${encodeURIComponent(pageId)}/disturb`, { kind, ...options });
    },
    settings: () => ask('GET', '/settings'),
    configure: (settings) => ask('PATCH', '/settings', settings),
  };
}

async function request<T>(controlUrl: string, method: string, path: string, body?: object): Promise<T> {
  const response = await fetch(new URL(path, controlUrl), {
    method,
    signal: AbortSignal.timeout(body && 'media' in body ? mediaTimeoutMs : timeoutMs),
    ...(body ? { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } } : {}),
  }).catch((cause: unknown) => {
    throw new Error(`no answer from a simulator at ${controlUrl}`, { cause });
  });
  const answer: unknown = await response.json();
  if (!response.ok) throw new Error((answer as { error: string }).error);
  return answer as T;
}
