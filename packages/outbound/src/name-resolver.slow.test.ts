import { setMaxListeners } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { NameServer } from '@chat-web/testing';
import { freshFolder } from '@chat-web/testing/hooks';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AddressGuard, ForbiddenAddressError } from './address-guard.ts';
import { NameResolver } from './name-resolver.ts';

const FULL = '2001:db8:0:0:0:0:0:1';
const TIMED_OUT = { code: 'ETIMEOUT' };
const dir = freshFolder();
const [hostsFile, resolverFile] = [join(dir, 'hosts'), join(dir, 'resolv.conf')];
let server: NameServer;
let names: NameResolver;
beforeEach(async () => {
  server = await NameServer.start();
  names = new NameResolver({ hostsFile, resolverFile, servers: [server.address] });
});
afterEach(() => server[Symbol.dispose]());

const resolve = async (host: string, owner?: string, signal?: AbortSignal) =>
  (await names.resolve(host, { owner, ...(signal ? { signal } : {}) })).map(({ address }) => address);
const silentHosts = (count: number, of = 'hang') => {
  const hosts = Array.from({ length: count }, (_, n) => `${of}-${n}.test`);
  for (const host of hosts) server.silent.add(host);
  return hosts;
};
const hanging = (hosts: readonly string[], owner?: string, signal?: AbortSignal) =>
  Promise.allSettled(hosts.map((host) => resolve(host, owner, signal)));
const askedFor = (name: string) => server.asked.filter((asked) => asked.endsWith(` ${name}`)).length;

describe('a name', () => {
  it('has the addresses of both families, or those of one', async () => {
    server.names.set('both.test', ['192.0.2.1', FULL, '192.0.2.2']);
    server.names.set('one.test', [FULL]);
    expect(await resolve('both.test')).toEqual(['192.0.2.1', '192.0.2.2', '2001:db8::1']);
    expect(await resolve('ONE.test')).toEqual(['2001:db8::1']);
    await expect(resolve('none.test')).rejects.toMatchObject({ code: 'ENOTFOUND' });
  });

  it('in the hosts file has those addresses, without a query', async () => {
    writeFileSync(
      hostsFile,
      '# 9.9.9.9 app\n192.0.2.7\tother APP # app.test\n::1 app\nnonsense app\n192.0.2.8 app.test.\n',
    );
    expect(await resolve('app')).toEqual(['192.0.2.7', '::1']);
    expect(await resolve('App.')).toEqual(['192.0.2.7', '::1']);
    expect(await resolve('localhost')).toEqual(['127.0.0.1', '::1']);
    expect(await resolve('a.localhost.')).toEqual(['127.0.0.1', '::1']);
    expect(server.asked).toEqual([]);
  });

  it('is also looked up in the search domains: as written first if it has enough dots', async () => {
    writeFileSync(resolverFile, 'search corp.test. lab.test .\noptions edns0 ndots:2 trust-ad\n');
    server.names.set('app.lab.test', ['192.0.2.1']);
    server.names.set('a.b.c.lab.test', ['192.0.2.2']);
    expect(await resolve('app')).toEqual(['192.0.2.1']);
    expect(await resolve('a.b.c')).toEqual(['192.0.2.2']);
    await expect(resolve('app.')).rejects.toMatchObject({ code: 'ENOTFOUND' });
    expect(server.asked.filter((asked) => asked.startsWith('4')).map((asked) => asked.slice(2))).toEqual([
      'app.corp.test',
      'app.lab.test',
      'a.b.c',
      'a.b.c.corp.test',
      'a.b.c.lab.test',
      'app',
    ]);
  });
});

describe('a silent name server', () => {
  it('fails a look-up after 5 s, and holds none of another owner', async () => {
    server.names.set('good.test', ['192.0.2.1']);
    const startedAt = performance.now();
    let isStuck = true;
    const stuck = hanging(silentHosts(20), 'key').finally(() => {
      isStuck = false;
    });
    expect(await resolve('good.test', 'other')).toEqual(['192.0.2.1']);
    expect(await resolve('good.test')).toEqual(['192.0.2.1']);
    expect(isStuck).toBe(true);
    // The control: with the key of the silent ones, it waits for them.
    await resolve('good.test', 'key').catch(() => {});
    expect(performance.now() - startedAt).toBeGreaterThan(4_900);
    // It has the place of the first that failed; the others fail at about the same time.
    expect(await stuck).toEqual(silentHosts(20).map(() => expect.objectContaining({ status: 'rejected' })));
    expect(isStuck).toBe(false);
    expect(await resolve('good.test', 'key')).toEqual(['192.0.2.1']);
  });

  it('is asked once for all who wait for one name with one key', async () => {
    const [host = ''] = silentHosts(1);
    server.names.set('good.test', ['192.0.2.1']);
    const stuck = hanging(new Array<string>(50).fill(host), 'key');
    expect(await resolve('good.test', 'key')).toEqual(['192.0.2.1']);
    await stuck;
    // Up to three times for each family; 50 look-ups would be 200.
    await expect.poll(() => askedFor(host)).toBeGreaterThanOrEqual(4);
    expect(askedFor(host)).toBeLessThanOrEqual(6);
  });

  it('does not keep the place of a look-up that was cancelled, running or waiting', async () => {
    server.names.set('good.test', ['192.0.2.1']);
    const over = new AbortController();
    setMaxListeners(0, over.signal);
    const stuck = hanging(silentHosts(40), 'key', over.signal);
    const waiting = resolve('good.test', 'key');
    over.abort(new Error('over'));
    expect(await waiting).toEqual(['192.0.2.1']);
    for (const outcome of await stuck) expect(outcome).toMatchObject({ reason: { message: 'over' } });
    await expect(resolve('good.test', 'key', over.signal)).rejects.toThrow('over');
  });

  it('is not waited for by others when one of those who share a look-up gives up', async () => {
    const [host = ''] = silentHosts(1);
    const over = new AbortController();
    const [first, second] = [resolve(host, 'key', over.signal), resolve(host, 'key')];
    over.abort(new Error('over'));
    await expect(first).rejects.toThrow('over');
    await expect(second).rejects.toMatchObject(TIMED_OUT);
  });
});

it('a name with thousands of addresses is refused', async () => {
  const resolveMany = async () => Array.from({ length: 65 }, (_, n) => ({ address: `9.9.9.${n}`, family: 4 }));
  const guard = new AddressGuard([], resolveMany);
  await expect(guard.resolve(new URL('https://many.test'), { owner: undefined })).rejects.toThrow(
    ForbiddenAddressError,
  );
  const few = new AddressGuard([], async () => (await resolveMany()).slice(0, 64));
  await few.resolve(new URL('https://many.test'), { owner: undefined });
});
