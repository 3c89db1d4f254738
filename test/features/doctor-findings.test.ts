import { chown, readdir } from 'node:fs/promises';
import { ADA, BEN, CARLA, eventually, postgresPrograms, temporaryFolder } from '@chat-web/testing';
import { findingsOf, Hosts, type LinkedPair, linkPair, resultsOf, runDoctor } from '@chat-web/testing/stack';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

describe('what doctor finds', () => {
  let pair: LinkedPair;
  beforeAll(async () => {
    pair = await linkPair();
  });
  afterAll(() => pair.stack[Symbol.asyncDispose]());

  it('lists what a page without five modules cannot do, and fails', async () => {
    const missingModules = [
      'WAWebMediaMmsV4Upload',
      'WAWebDownloadManager',
      'WAWebSendStatusMsgAction',
      'WAWebGroupCreateJob',
      'WAWebContactProfilePicThumbBridge',
    ];
    await pair.stack.phones.configure({ missingModules });
    const doctor = await pair.run(pair.all);
    await pair.stack.phones.configure({ missingModules: [] });
    await pair.stack.client.restartSession({ id: 'main' });
    const found = findingsOf(doctor);
    expect(doctor.code).toBe(1);
    const lost = [
      ['page: sendMessage.media', 'WAWebMediaMmsV4Upload'],
      ['send image', 'WAWebMediaMmsV4Upload'],
      ['page: getMedia', 'WAWebDownloadManager'],
      ['download image received', 'WAWebDownloadManager'],
      ['page: postStatus.text', 'WAWebSendStatusMsgAction'],
      ['page: postStatus.media', 'WAWebSendStatusMsgAction'],
      ['status text', 'WAWebSendStatusMsgAction'],
      ['page: createGroup', 'WAWebGroupCreateJob'],
      ['page: getPicture', 'WAWebContactProfilePicThumbBridge'],
      ['pictures', 'WAWebContactProfilePicThumbBridge'],
    ];
    for (const [check = '', module] of lost) {
      expect(found.get(check), check).toMatchObject({ result: 'fail', detail: expect.stringContaining(module ?? '') });
      expect(found.get(check)?.todo).toContain('CHAT_WEB_PAGE_VERSION');
    }
    const kept = ['send text', 'receive text', 'acks', 'reaction', 'edit', 'chats', 'contacts', 'groups', 'restarts'];
    for (const check of kept) expect(found.get(check), check).toMatchObject({ result: 'ok' });
    const failed = resultsOf(found, 'fail').map(({ detail }) => detail);
    expect(failed.filter((detail) => !missingModules.some((module) => detail.includes(module)))).toEqual([]);
  });

  it('finds a dialog that stays open, a deferred picture, and a phone that is off', async () => {
    await pair.stack.phones.profile(CARLA, { pictureCode: 429 });
    await pair.stack.phones.setOnline(CARLA, false);
    const doctor = await pair.run(['--gateway', pair.stack.gateway.url, '--to', CARLA, '--watch', '0'], {
      when: { printed: /^ok +account/m, act: () => void pair.stack.disturb(ADA, 'dialog', { which: 'stuck' }) },
    });
    await pair.stack.phones.profile(CARLA, { pictureCode: null });
    await pair.stack.phones.setOnline(CARLA, true);
    expect(doctor.stdout).toMatch(/^warn +pictures .* 1 deferred\n +→ .*later/m);
    expect(doctor.stdout).toMatch(/^warn +acks .*6 reached the server, 0 were delivered\n +→ turn the phone/m);
    expect(doctor.stdout).toMatch(/^warn +dialogs .*a dialog stays open/m);
    expect(doctor.stdout).not.toMatch(/^fail/m);
    expect(doctor.code).toBe(0);
  });

  it('finds an account that the network restricts, and stops sending from it', async () => {
    await pair.stack.phones.restrict(ADA, true);
    const doctor = await pair.run(['--gateway', pair.stack.gateway.url, '--to', BEN, '--watch', '0']);
    await pair.stack.phones.restrict(ADA, false);
    expect(doctor.stdout).toMatch(/^fail +send text .*outcome_unknown.*\n +→ .*phone/m);
    expect(doctor.stdout).toMatch(/^skip +send files /m);
    expect(doctor.code).toBe(1);
  });

  it('reports that a session is not linked, and that a gateway requires another token', async () => {
    const [unknown, refused] = await Promise.all([
      runDoctor(['--session', 'nobody', '--gateway', pair.stack.gateway.url], { settings: pair.settings }),
      runDoctor(['--session', 'main', '--gateway', pair.stack.gateway.url], {
        settings: { ...pair.settings, CHAT_WEB_TOKEN: 'another' },
      }),
    ]);
    expect(unknown.code).toBe(1);
    expect(unknown.stdout).toMatch(/^fail +session nobody .*\n +→ link it first/m);
    expect(refused.code).toBe(1);
    expect(refused.stdout).toMatch(/^fail +gateway .*unauthorized.*\n +→ set CHAT_WEB_TOKEN/m);
  });

  it('reports where to link an account that requires a passkey', async () => {
    const { client, phones, gateway } = pair.stack;
    await phones.requirePasskey(CARLA, true);
    const { qr = '' } = await client.startSession({ id: 'asked' });
    await phones.scan(CARLA, qr);
    await eventually(async () =>
      expect(await client.getSessionStatus({ id: 'asked' })).toMatchObject({ reason: 'PASSKEY_REQUIRED' }),
    );
    const doctor = await runDoctor(['--session', 'asked', '--gateway', gateway.url], { settings: pair.settings });
    await phones.requirePasskey(CARLA, false);
    await client.deleteSession({ id: 'asked' });
    expect(doctor.code).toBe(1);
    expect(doctor.stdout).toMatch(/^fail +session asked .*needs the passkey.*\n +→ .*its owner's own computer/m);
  });

  it('reports where to check a session that has moved, and leaves it as it is', async () => {
    const { client, gateway } = pair.stack;
    await pair.stack.link('away', CARLA);
    await client.exportSession({ id: 'away' }).then(({ data }) => data.cancel());
    const doctor = await runDoctor(['--session', 'away', '--gateway', gateway.url], { settings: pair.settings });
    expect(doctor.code).toBe(1);
    expect(doctor.stdout).toMatch(/^fail +session away .*session_moved.*\n +→ run doctor on the gateway that has it/m);
    expect(await client.getSessionStatus({ id: 'away' })).toMatchObject({ status: 'moved' });
    await client.deleteSession({ id: 'away' });
  });

  it.runIf(process.getuid?.() === 0)('starts no gateway on the data folder of another user', async () => {
    using folder = temporaryFolder();
    const dataDir = folder.path;
    await chown(dataDir, 12_345, 12_345);
    const doctor = await runDoctor(['--session', 'main'], {
      settings: { ...pair.settings, CHAT_WEB_DATA_DIR: dataDir },
    });
    expect(doctor.code).toBe(1);
    expect(doctor.stdout).toMatch(/^fail +gateway .*belongs to another user \(12345\)/m);
    expect(await readdir(dataDir)).toEqual([]);
  });
});

describe.runIf(postgresPrograms())('what doctor finds at a host of a cluster', () => {
  it('names the hosts that do not answer, and loads the page in a gateway that is no host', async () => {
    await using hosts = await Hosts.start(['a']);
    await hosts.add('b', { settings: { CHAT_WEB_CLUSTER_ADDRESS: 'http://127.0.0.1:1' } });
    const stack = hosts.at('a');
    const settings = {
      CHAT_WEB_PORT: '1',
      CHAT_WEB_TOKEN: stack.address.token ?? '',
      CHAT_WEB_DATA_DIR: stack.dataDir,
      CHAT_WEB_BROWSER_ARGS: JSON.stringify(stack.simulator.browserArgs),
      CHAT_WEB_CLUSTER_URL: hosts.postgres.url('postgres', 'postgres_a'),
    };
    const found = findingsOf(await runDoctor(['--quick', '--json'], { settings }));
    expect(found.get('database of the cluster')).toMatchObject({ result: 'ok' });
    expect(found.get('host a')).toMatchObject({ result: 'ok', detail: `answers at ${stack.gateway.url}` });
    expect(found.get('host b')).toMatchObject({
      result: 'fail',
      detail: expect.stringMatching(/^does not answer at http:\/\/127.0.0.1:1 /),
    });
    expect(found.get('gateway')).toMatchObject({ result: 'ok' });
    expect(resultsOf(found, 'fail').map(({ check }) => check)).toEqual(['host b']);

    const elsewhere = { ...settings, CHAT_WEB_CLUSTER_URL: 'postgresql://ada:secret@127.0.0.1:1/chat' };
    const { stdout } = await runDoctor(['--session', 'main'], { settings: elsewhere });
    expect(stdout).toMatch(/^fail +database of the cluster .*ECONNREFUSED/m);
    expect(stdout).toMatch(
      /^fail +gateway .*no gateway of the cluster responds at http:\/\/127.0.0.1:1\n +→ start the gateway/m,
    );
    expect(stdout).not.toContain('secret');
  });
});
