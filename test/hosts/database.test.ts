import { setTimeout as delay } from 'node:timers/promises';
import { eventually, figure, postgresPrograms, rounds, ToyNetwork } from '@chat-web/testing';
import { CLEAN_AUDIT, Hosts, Traffic, WebhookEndpoint } from '@chat-web/testing/stack';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const SESSIONS = Array.from({ length: 6 }, (_, n) => `light-${n}`);
const KILLS = rounds({ few: 5, all: 20 });
const SECOND_MS = 1_000;

let light: ToyNetwork;
let endpoint: WebhookEndpoint;
let hosts: Hosts;
let traffics: Traffic[];

describe.runIf(postgresPrograms())('the database of a cluster', () => {
  beforeEach(async () => {
    light = await ToyNetwork.start();
    endpoint = await WebhookEndpoint.start();
    hosts = await Hosts.start(['a', 'b'], { hasStandby: true, settings: endpoint.settings, ...light.stackOptions });
    await hosts.deliverTo(endpoint);
    for (const [n, id] of SESSIONS.entries()) await hosts.at('a').client.startSession({ id, host: n % 2 ? 'a' : 'b' });
    traffics = SESSIONS.map(
      (session) => new Traffic(hosts.all, { ...light.accountOf(session), name: `${session} `, pauseMs: 50 }),
    );
  });
  afterEach(async () => {
    await Promise.allSettled(traffics.map((traffic) => traffic.end()));
    await hosts[Symbol.asyncDispose]();
    await endpoint[Symbol.asyncDispose]();
    await light[Symbol.asyncDispose]();
  });

  async function expectWhole(): Promise<string> {
    await Promise.all(traffics.map((traffic) => traffic.end()));
    expect(await hosts.audit(traffics)).toEqual(CLEAN_AUDIT);
    expect(traffics.flatMap(({ failures }) => failures)).toEqual([]);
    const count = (of: 'inbound' | 'outbound') => traffics.flatMap((traffic) => traffic[of]).length;
    return `${count('inbound')} messages delivered once, also by a webhook; ${count('outbound')} sent once, at the first attempt`;
  }

  it(`is killed ${KILLS} times while events are copied to it: none is lost or doubled`, async () => {
    for (let n = 0; n < KILLS; n += 1) {
      await delay(Math.random() * 3 * SECOND_MS);
      await hosts.postgres.kill('SIGQUIT');
      await delay(Math.random() * SECOND_MS);
      await hosts.postgres.run();
    }
    figure('killed database', `${KILLS} times: ${await expectWhole()}`);
  });

  it('may be replaced by a standby without the last second: that is copied again', async () => {
    await delay(3 * SECOND_MS);
    hosts.standby?.stopCopying();
    await delay(SECOND_MS);
    const known = endpoint.count;
    await hosts.postgres.kill('SIGQUIT');
    const killedAt = performance.now();
    hosts.standby?.promote();
    await eventually(() => expect(endpoint.count).toBeGreaterThan(known));
    const backMs = performance.now() - killedAt;
    await delay(5 * SECOND_MS); // Repeated deliveries arrive by then.
    const whole = await expectWhole();
    const repeated = endpoint.count - new Set(SESSIONS.flatMap((session) => endpoint.textsOf(session))).size;
    figure(
      'promoted standby',
      `events again after ${(backMs / SECOND_MS).toFixed(1)} s; ${whole}; ${repeated} delivered again with the same id`,
    );
  });
});
