import { ADA, BEN, eventually, postgresPrograms } from '@chat-web/testing';
import { ConsolePage } from '@chat-web/testing/browser';
import { CLUSTER_TOKEN, Hosts } from '@chat-web/testing/stack';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

describe.runIf(postgresPrograms())('the console of a cluster', () => {
  let hosts: Hosts;
  let seen: ConsolePage;
  beforeAll(async () => {
    hosts = await Hosts.start(['host-1', 'host-2'], { capacity: 4 });
    await hosts.at('host-1').link('main', ADA);
    await hosts.at('host-1').link('shop', BEN);
    seen = await ConsolePage.open({ url: hosts.at('host-2').gateway.url, token: CLUSTER_TOKEN });
  });
  afterAll(async () => {
    await seen?.[Symbol.asyncDispose]();
    await hosts?.[Symbol.asyncDispose]();
  });

  const hostsOf = async () => {
    const { sessions } = await hosts.at('host-1').client.listSessions();
    return sessions.map(({ id, host, status }) => `${id} ${host} ${status}`);
  };

  it('lists the hosts, with their rooms', async () => {
    await seen.show('#/host');
    await seen.untilShown('Hosts of the cluster');
    await seen.untilShown(/host-1\s+Live\s+1 of 4/);
    await seen.untilShown(/host-2 \(this one\)\s+Live\s+1 of 4/);
    await seen.expectFit('cluster-hosts');
  });

  it('shows the events of a session of another host as they arrive, and those from before it was opened', async () => {
    const send = (body: string) => hosts.at('host-1').phones.send(BEN, { to: ADA, body });
    await send('before');
    await seen.show('#/events');
    await seen.untilShown('main');
    await seen.untilShown('text from 12025550102@c.us: 6 characters');
    await send('now, at host-1');
    await seen.untilShown('text from 12025550102@c.us: 14 characters');
  });

  it('moves a session of another host', async () => {
    await seen.show('#/sessions/main');
    await seen.press('Move …');
    await seen.untilShown('Move main?');
    await seen.press('Move');
    await eventually(async () => expect(await hostsOf()).toEqual(['main host-2 ready', 'shop host-2 ready']));
  });

  it('drains a host', async () => {
    await seen.show('#/host');
    await seen.press('Drain host-2');
    await seen.untilShown('Drain host-2?');
    await seen.press('Drain');
    await eventually(async () => expect(await hostsOf()).toEqual(['main host-1 ready', 'shop host-1 ready']));
    await seen.untilShown(/host-2 \(this one\)\s+Live, draining\s+0 of 4/);
    await seen.press('End all drains');
    await seen.untilShown(/host-2 \(this one\)\s+Live\s+0 of 4/);
    expect(seen.harm).toEqual([]);
  });
});
