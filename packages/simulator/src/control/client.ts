import type { SimulatorClient } from '../api.ts';

const timeoutMs = 10_000;

/** The client of a simulator's control API, in this process or another one. */
export function connectSimulator(controlUrl: string): SimulatorClient {
  const ask = <T>(method: string, path: string, body?: object) => request<T>(controlUrl, method, path, body);
  const phone = (number: string) => `/accounts/${encodeURIComponent(number)}`;
  return {
    accounts: () => ask('GET', '/accounts'),
    account: (number) => ask('GET', phone(number)),
    addAccount: (seed) => ask('POST', '/accounts', seed),
    pages: () => ask('GET', '/pages'),
    scan: (number, qr) => ask('POST', `${phone(number)}/scan`, { qr }),
    send: (number, message) => ask('POST', `${phone(number)}/messages`, message),
    messages: (number, filter) => {
      const query = filter?.with === undefined ? '' : `?with=${encodeURIComponent(filter.with)}`;
      return ask('GET', `${phone(number)}/messages${query}`);
    },
    read: (number, from) => ask('POST', `${phone(number)}/read`, { from }),
    setOnline: (number, online) => ask('PUT', `${phone(number)}/online`, { online }),
    logout: (number, options = {}) => ask('POST', `${phone(number)}/logout`, options),
    disconnect: (number) => ask('POST', `${phone(number)}/disconnect`),
    reconnect: (number) => ask('POST', `${phone(number)}/reconnect`),
    disturb: (pageId, kind) => ask('POST', `/pages/${encodeURIComponent(pageId)}/disturb`, { kind }),
    settings: () => ask('GET', '/settings'),
    configure: (settings) => ask('PATCH', '/settings', settings),
  };
}

async function request<T>(controlUrl: string, method: string, path: string, body?: object): Promise<T> {
  const response = await fetch(new URL(path, controlUrl), {
    method,
    signal: AbortSignal.timeout(timeoutMs),
    ...(body ? { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } } : {}),
  }).catch((cause: unknown) => {
    throw new Error(`no answer from a simulator at ${controlUrl}`, { cause });
  });
  const answer: unknown = await response.json();
  if (!response.ok) throw new Error((answer as { error: string }).error);
  return answer as T;
}
