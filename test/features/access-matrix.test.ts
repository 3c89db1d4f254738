import { connect } from 'node:net';
import { createClient } from '@chat-web/host';
import {
  keyScope,
  type Operation,
  type OtherRoute,
  operations,
  otherRoutes,
  reaches,
  type Scope,
  webhookOperations,
} from '@chat-web/protocol';
import { eventually, expectError, JSON_TYPE, type RawAnswer, rawRequest, rows } from '@chat-web/testing';
import { sharedGateway } from '@chat-web/testing/story';
import { beforeAll, describe, expect, it } from 'vitest';

const TOKEN = 'the-operators-token';

type Holder =
  | 'nothing'
  | 'a wrong token'
  | 'an expired key'
  | 'a deleted key'
  | 'the token'
  | `a ${'read' | 'send' | 'manage'} key`;
const refused = ['nothing', 'a wrong token', 'an expired key', 'a deleted key'] as const satisfies Holder[];
const keyHolders = keyScope.options.map((scope) => [`a ${scope} key`, scope] as const);

/** Every route of the gateway: those of the operation table, then the others. */
const routes = [
  ...rows.map((row) => ({
    ...row,
    scope: (operations as Record<string, Operation>)[row.name]?.scope as Scope | 'anyone',
  })),
  ...Object.entries<OtherRoute>(otherRoutes).map(([name, { path, scope }]) => ({
    name,
    method: 'GET',
    scope,
    hasId: path.includes(':id'),
    body: undefined,
    type: JSON_TYPE,
    path: (id: string) => path.replace(':id', id).replace('*', ''),
  })),
].flatMap((route) => (route.method === 'GET' ? [route, { ...route, method: 'HEAD' }] : [route]));
type Route = (typeof routes)[number];
const guarded = routes.filter(({ scope }) => scope !== 'anyone');

const gateway = sharedGateway({
  settings: {
    CHAT_WEB_TOKEN: TOKEN,
    CHAT_WEB_AUTH_FAILURES_PER_MINUTE: '0',
    CHAT_WEB_WEBHOOK_HOSTS: 'localhost',
    CHAT_WEB_MIN_FREE_DISK_MB: '100000000', // A permitted start gets this refusal, so that no browser is needed.
  },
  sessions: ['own-1', 'foreign-1', 'own-the-token', ...keyScope.options.map((scope) => `own-${scope}`)],
});
const bearer = new Map<Holder, string | undefined>();

beforeAll(async () => {
  const client = createClient({ url: gateway.url, token: TOKEN });
  const make = async (scope: Scope, expiresAt?: string) => {
    if (scope === 'operator') throw new Error('no key has this scope');
    return client.createKey({ name: `${scope} key`, sessions: ['own-*'], scope, ...(expiresAt ? { expiresAt } : {}) });
  };
  bearer.set('a wrong token', `${TOKEN}x`).set('the token', TOKEN);
  for (const [holder, scope] of keyHolders) bearer.set(holder, (await make(scope)).key);
  const expired = await make('manage', new Date(Date.now() + 5_000).toISOString());
  const deleted = await make('manage');
  await client.deleteKey({ keyId: deleted.id });
  bearer.set('an expired key', expired.key).set('a deleted key', deleted.key);
  await eventually(() => expect(Date.now()).toBeGreaterThan(Date.parse(expired.expiresAt ?? '')));
});

interface Sent {
  readonly holder: Holder;
  readonly id: string;
  /** What a refusal must not depend on. */
  readonly body?: string | undefined;
}

function send({ method, path, type }: Route, { holder, id, body }: Sent): Promise<RawAnswer> {
  const token = bearer.get(holder);
  const headers = { ...type, ...(token ? { authorization: `Bearer ${token}` } : {}) };
  return rawRequest(gateway.url, { method, path: path(id), headers, body: /^P/.test(method) ? body : undefined });
}

/** A session of the holder to try a route on. A deleted one is gone for the others, so each holder deletes its own. */
function ownSession({ name }: Route, holder: Holder): string {
  return name === 'deleteSession' ? `own-${holder.replace(/^a (\w+) key$/, '$1').replaceAll(' ', '-')}` : 'own-1';
}

/** The caller is checked before the body: a malformed body must not change a refusal. */
const MALFORMED = '{';

function expectRefused(route: Route, answer: RawAnswer, status: number, code: string): void {
  if (route.method === 'HEAD') expect(answer.status).toBe(status);
  else expectError(answer, status, code);
}

async function expectServed(route: Route, sent: Sent): Promise<void> {
  if ((route.name === 'events' || route.name === 'allEvents') && route.method === 'GET')
    return expectStream(route, sent);
  const { status, body } = await send(route, { ...sent, body: route.body });
  expect([200, 201, 404, 409, 503], `${status} ${body.code}`).toContain(status);
  expect(['session_not_found', 'route_not_found', 'insufficient_scope', 'unauthorized']).not.toContain(body.code);
}

async function expectStream({ path }: Route, { holder, id }: Sent): Promise<void> {
  const over = new AbortController();
  const headers = { authorization: `Bearer ${bearer.get(holder)}` };
  const { status } = await fetch(new URL(path(id), gateway.url), { headers, signal: over.signal });
  over.abort();
  expect(status).toBe(200);
}

describe('every route', () => {
  it('is in the matrix, with a scope', () => {
    expect(routes.length).toBeGreaterThan(Object.keys(operations).length);
    for (const { scope } of routes) expect([...keyScope.options, 'operator', 'anyone']).toContain(scope);
  });

  it('changes nothing for a read key, links nothing for a send key, and leaves keys and host to the operator', () => {
    const namesOf = (wanted: string) =>
      [...new Set(routes.flatMap(({ name, scope }) => (scope === wanted ? [name] : [])))].sort();
    for (const { name, scope, method } of routes)
      if ((scope === 'read' || scope === 'anyone') && name !== 'createEventTicket')
        expect(['GET', 'HEAD'], name).toContain(method);
    expect(namesOf('anyone')).toEqual(['console', 'docs', 'front', 'health', 'ready']);
    expect(namesOf('manage')).toEqual(
      [
        ...Object.keys(webhookOperations),
        'deleteSession',
        'exportSession',
        'importSession',
        'logoutSession',
        'getQr',
        'requestPairingCode',
        'restartSession',
        'setSessionMetadata',
        'startSession',
        'stopSession',
      ].sort(),
    );
    expect(namesOf('operator')).toEqual([
      'confirmHostOff',
      'createKey',
      'deleteKey',
      'drainHost',
      'endDrain',
      'getClusterHost',
      'getHost',
      'listHosts',
      'listKeys',
      'listMoves',
      'metrics',
      'moveSession',
      'rebalanceHosts',
      'removeHost',
    ]);
  });

  it.each(routes.filter(({ scope }) => scope === 'anyone'))('$method $name needs no credentials', async (route) => {
    for (const holder of [...refused, 'the token'] as const)
      expect((await send(route, { holder, id: '' })).status).toBe(200);
  });

  it.each(guarded)('$method $name ($scope) is 401 without valid credentials', async (route) => {
    for (const holder of refused)
      for (const id of route.hasId ? ['own-1', 'foreign-1', 'nobody', 'a b'] : ['own-1']) {
        const answer = await send(route, { holder, id: encodeURIComponent(id), body: MALFORMED });
        expectRefused(route, answer, 401, 'unauthorized');
        expect(answer.headers['www-authenticate']).toBe('Bearer');
      }
  });

  it.each(guarded)('$method $name ($scope) serves the token', async (route) => {
    await expectServed(route, { holder: 'the token', id: ownSession(route, 'the token') });
  });

  it.each(guarded)(
    '$method $name ($scope) serves keys of a sufficient scope on their own sessions, and is 403 for others',
    async (route) => {
      for (const [holder, scope] of keyHolders) {
        const id = ownSession(route, holder);
        if (route.scope !== 'anyone' && reaches(scope, route.scope)) await expectServed(route, { holder, id });
        else expectRefused(route, await send(route, { holder, id, body: MALFORMED }), 403, 'insufficient_scope');
      }
    },
  );

  it.each(guarded.filter(({ hasId }) => hasId))(
    '$method $name is 404 for keys on other sessions, whether they exist or not',
    async (route) => {
      for (const [holder] of keyHolders) {
        const answers = [];
        for (const id of ['foreign-1', 'nobody', 'own', 'OWN-1', '..%2Fown-1', 'xown-1', '%00own-1'])
          answers.push(await send(route, { holder, id, body: MALFORMED }));
        for (const answer of answers) expectRefused(route, answer, 404, 'session_not_found');
        expect(new Set(answers.map(({ text }) => text)).size).toBe(1); // None reveals that the session exists.
      }
    },
  );
});

describe('a request that matches no route', () => {
  it.each(['/nowhere', '/sessions/own-1/nothing', '/keys/x/y'])('for %s is 401 first, then 404', async (path) => {
    for (const holder of refused) {
      const token = bearer.get(holder);
      const headers = token ? { authorization: `Bearer ${token}` } : {};
      expectError(await rawRequest(gateway.url, { path, headers }), 401, 'unauthorized');
    }
    for (const holder of ['the token', 'a read key'] as const) {
      const headers = { authorization: `Bearer ${bearer.get(holder)}` };
      expectError(await rawRequest(gateway.url, { path, headers }), 404, 'route_not_found');
    }
  });

  it('for its method is 401 first, then 405', async () => {
    for (const route of guarded) {
      const method = 'PATCH'; // No route has it.
      expectError(await rawRequest(gateway.url, { method, path: route.path('own-1') }), 401, 'unauthorized');
      const headers = { authorization: `Bearer ${bearer.get('a read key')}` };
      expectError(
        await rawRequest(gateway.url, { method, path: route.path('own-1'), headers }),
        405,
        'method_not_allowed',
      );
    }
  });
});

describe('a body that never arrives', () => {
  const withBody = guarded.filter(({ body, scope }) => body !== undefined && scope !== 'read');

  it.each(withBody)('does not delay a refusal of $name', async (route) => {
    const cases = [
      ['nothing', 'own-1', 401],
      ['a wrong token', 'own-1', 401],
      ['a read key', 'own-1', 403],
      ...(route.hasId ? [['a manage key', 'foreign-1', 404] as const] : []),
    ] as const;
    for (const [holder, id, status] of cases)
      expect(await headOfAnswer(route, { holder, id })).toContain(` ${status} `);
  });

  /** Sends the head of a request that announces 90 MB, and no body. */
  function headOfAnswer({ method, path }: Route, { holder, id }: Sent): Promise<string> {
    const token = bearer.get(holder);
    const { hostname, port } = new URL(gateway.url);
    return new Promise((resolve, reject) => {
      const socket = connect(Number(port), hostname, () => {
        const lines = [
          `${method} ${path(id)} HTTP/1.1`,
          'Host: 127.0.0.1',
          'Content-Type: application/json',
          'Content-Length: 90000000',
          ...(token ? [`Authorization: Bearer ${token}`] : []),
        ];
        socket.write(`${lines.join('\r\n')}\r\n\r\n`);
      });
      // The gateway waits for a body for 10 s: a response before that has not waited for it.
      socket.setTimeout(8_000, () => socket.destroy(new Error('no answer')));
      socket.on('error', reject);
      socket.once('data', (data) => {
        socket.destroy();
        resolve(data.toString());
      });
    });
  }
});
