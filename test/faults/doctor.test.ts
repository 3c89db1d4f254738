import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builds, type Simulator, startSimulator } from '@chat-web/simulator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findingsOf, runDoctor } from '../helpers/doctor.ts';
import { figure } from '../helpers/figure.ts';
import { browsersIn } from '../helpers/processes.ts';

describe('doctor without an account', () => {
  let simulator: Simulator;
  let folder: string;
  beforeAll(async () => {
    simulator = await startSimulator({ settings: { qrFirstMs: 1_500 } });
    folder = await mkdtemp(join(tmpdir(), 'chat-web-test-'));
  });
  afterAll(async () => {
    await simulator.close();
    await rm(folder, { recursive: true });
  });

  const run = (args: readonly string[], interruptAt?: RegExp) =>
    runDoctor(args, {
      settings: {
        CHAT_WEB_DATA_DIR: folder,
        CHAT_WEB_BROWSER_ARGS: JSON.stringify(simulator.browserArgs),
        // As an operator may have them: doctor's own gateway must come up all the same.
        CHAT_WEB_LOG_LEVEL: 'silent',
        CHAT_WEB_TOKEN: 'of-the-service',
      },
      tmpDir: folder,
      ...(interruptAt ? { interruptAt } : {}),
    });

  it.each(builds)('says whether machine and page work, on the page of %s', async (build) => {
    const { pageVersion } = await simulator.phones.configure({ build });
    const isNewest = build === builds.at(-1);
    const doctor = await run(['--json', ...(isNewest ? [] : ['--quick'])]);
    const found = findingsOf(doctor);
    const failed = [...found.values()].filter(({ result }) => result === 'fail');
    expect(failed).toEqual([]);
    expect(doctor.code).toBe(0);
    for (const check of ['node', 'browser', 'disk', 'memory', 'gateway', 'qr shown', 'session deleted', 'ended'])
      expect(found.get(check)).toMatchObject({ result: 'ok' });
    expect(found.get('page')).toMatchObject({ result: 'ok', detail: pageVersion });
    expect(found.get('qr refreshed')).toMatchObject({ result: isNewest ? 'ok' : 'skip' });
    expect(found.get('network')).toMatchObject({ result: 'skip' }); // It talks to loopback alone.
    expect(JSON.parse(doctor.stdout)).toMatchObject({ ok: true, page: pageVersion, notChecked: expect.any(String) });
    expect(doctor.stdout).not.toContain('data:image');
    expect(await readdir(folder)).toEqual([]);
    expect(browsersIn(folder)).toEqual([]);
    figure(8, `doctor on ${build}: QR after ${found.get('qr shown')?.ms} ms, ${found.size} findings`);
  });

  it('names the part without which a page cannot be linked, and does not wait for it', async () => {
    await simulator.phones.configure({ missingModules: ['WAWebConnModel'] });
    const doctor = await run([]);
    await simulator.phones.configure({ missingModules: [] });
    expect(doctor.code).toBe(1);
    expect(doctor.stdout).toMatch(/^fail +qr shown /m);
    expect(doctor.stdout).toMatch(/^fail +page: link .*WAWebConnModel.*\n +→ .*CHAT_WEB_PAGE_VERSION/m);
    expect(await readdir(folder)).toEqual([]);
  });

  it('leaves nothing behind when it is interrupted', async () => {
    const doctor = await run([], /^ok +gateway/m);
    expect(doctor.code).toBe(130);
    expect(doctor.stdout).toContain('Interrupted');
    expect(doctor.stdout).not.toMatch(/^fail/m);
    expect(await readdir(folder)).toEqual([]);
    expect(browsersIn(folder)).toEqual([]);
  });

  it('says what is wrong with its command line, and with the settings', async () => {
    const wrong = await run(['--to', 'Ben', '--session', 'main']);
    expect(wrong).toMatchObject({ code: 2, stdout: '' });
    expect(wrong.stderr).toMatch(/^--to must be a phone number/);
    const bad = await runDoctor([], { settings: { CHAT_WEB_PORT: 'many' } });
    expect(bad.code).toBe(1);
    expect(bad.stdout).toMatch(/^fail +settings +CHAT_WEB_PORT must be a whole number/m);
  });
});
