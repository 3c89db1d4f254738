import { spawnSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { createClient } from '@chat-web/host';
import { type Simulator, startSimulator } from '@chat-web/simulator';
import {
  ADA,
  BEN,
  CARLA,
  Container,
  DEV,
  EDITH,
  eventually,
  FARID,
  figure,
  HARDENED,
  HOST_NETWORK,
  listening,
  podman,
  requirePodman,
} from '@chat-web/testing';
import { sharedFolder } from '@chat-web/testing/hooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const { TEST_IMAGE: image = '' } = process.env;
const TOKEN = 'planted-token-5b0';
const USER = 10_001;
const PROFILE = `--security-opt=seccomp=${fileURLToPath(new URL('../../deploy/oci/seccomp.json', import.meta.url))}`;
const SESSIONS = { one: ADA, two: BEN, three: CARLA, four: DEV, five: EDITH };
const IDS = Object.keys(SESSIONS);

function missing(): string | undefined {
  if (image === '') return 'no image: build one with "npm run image", then run "npm run test:image"';
  return spawnSync('podman', ['image', 'exists', image]).status === 0 ? undefined : `podman has no image ${image}`;
}
const why = missing();
if (why) console.log(`not tried: ${why}`);

describe.skipIf(why !== undefined)('the image', () => {
  const volume = `chat-web-test-${process.pid}`;
  const folder = sharedFolder();
  let simulator: Simulator;
  let port: number;
  let container: Container;

  const client = () => createClient({ url: `http://127.0.0.1:${port}`, token: TOKEN }, { retries: 0 });
  const statusOf = async (id: string) => (await client().getSessionStatus({ id })).status;
  const untilReady = (ids = IDS) =>
    Promise.all(ids.map((id) => eventually(async () => expect(await statusOf(id)).toBe('ready'), 180_000)));

  function run(name: string, options: readonly string[], env: Readonly<Record<string, string>> = {}): Container {
    return new Container({
      image,
      name: `${volume}-${name}`,
      mounts: [[volume, '/data']],
      env: {
        CHAT_WEB_PORT: String(port),
        CHAT_WEB_TOKEN: TOKEN,
        CHAT_WEB_BROWSER_ARGS: JSON.stringify(simulator.browserArgs),
        ...env,
      },
      options: [...HARDENED, ...options],
    });
  }

  /** Starts a gateway on the volume, and waits until it answers. */
  async function start(name: string, options: readonly string[] = [PROFILE]): Promise<Container> {
    const started = run(name, options);
    await eventually(async () => {
      const { ok } = await fetch(`http://127.0.0.1:${port}/health`).catch(() => {
        throw new Error(started.logs);
      });
      expect(ok).toBe(true);
    });
    return started;
  }

  /** Runs the image until it exits by itself, as with invalid settings. */
  function refusal(...args: readonly string[]) {
    const { status, stdout, stderr } = podman('run', '--rm', ...HOST_NETWORK, ...HARDENED, PROFILE, ...args, image);
    return { status, printed: stdout + stderr };
  }

  /** The processes of the container whose command line matches, by their ids outside. */
  const processes = (pattern: RegExp) =>
    familyOf(container.pid)
      .filter(({ command }) => pattern.test(command))
      .map(({ pid }) => pid);

  async function sendAndReceive(ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      const text = `from ${id}`;
      const { id: sent } = await client().sendMessage({ id, type: 'text', to: FARID, body: text });
      await eventually(async () => {
        const onPhone = await simulator.phones.messages(FARID);
        expect(onPhone.some((message) => message.body === text && sent.includes(message.id))).toBe(true);
      });
    }
    for (const id of ids) {
      await simulator.phones.send(FARID, { to: SESSIONS[id as keyof typeof SESSIONS], body: `to ${id}` });
      await eventually(async () => {
        const chats = await client().listChats({ id });
        expect(chats.map(({ lastMessage }) => lastMessage?.body)).toContain(`to ${id}`);
      });
    }
  }

  beforeAll(async () => {
    simulator = await startSimulator({});
    const server = createServer();
    port = await listening(server);
    server.close();
    requirePodman('volume', 'create', volume);
    container = await start('first', [PROFILE, '--hostname=first']);
  });
  afterAll(async () => {
    container?.[Symbol.dispose]();
    podman('volume', 'rm', '--force', volume);
    await simulator?.close();
  });

  it('links five sessions, which send and receive, with 64 MB of shared memory and a read-only root', async () => {
    for (const [id, number] of Object.entries(SESSIONS)) {
      await client().startSession({ id });
      const { qr } = await eventually(() => client().getQr({ id }));
      await simulator.phones.scan(number, qr);
    }
    await untilReady();
    await sendAndReceive(IDS);
    expect(container.exec('df', '--output=size', '/dev/shm').stdout).toMatch(/\b65536\b/);
    for (const path of ['/opt/chat-web/x', '/etc/x', '/home/x', '/usr/local/bin/x'])
      expect(container.exec('touch', path).stderr, path).toMatch(/Read-only file system|Permission denied/);
    expect(container.exec('sh', '-c', 'cp /bin/true /tmp/x && /tmp/x').stderr).toContain('Permission denied');
  });

  it('runs as a user of its own, without capabilities, and with the sandbox of Chromium', async () => {
    expect(readFileSync(`/proc/${container.pid}/comm`, 'utf8')).toBe('catatonit\n');
    const [gateway] = processes(/^\/usr\/bin\/node /);
    const status = readFileSync(`/proc/${gateway}/status`, 'utf8');
    expect(status).toMatch(new RegExp(`^Uid:\\t${USER}\\t${USER}`, 'm'));
    expect(status).toMatch(/^CapBnd:\t0{16}$/m);
    expect(status).toMatch(/^NoNewPrivs:\t1$/m);
    const renderers = processes(/--type=renderer/);
    expect(renderers.length).toBeGreaterThanOrEqual(IDS.length);
    for (const pid of renderers) {
      for (const kind of ['user', 'pid', 'net'])
        expect(readlinkSync(`/proc/${pid}/ns/${kind}`), kind).not.toBe(
          readlinkSync(`/proc/${container.pid}/ns/${kind}`),
        );
      expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8')).not.toContain('--no-sandbox');
    }
    expect(await client().getHost({})).not.toHaveProperty('unsandboxed');
    expect(container.logs).not.toContain('browser sandbox disabled');
  });

  it('has a health check, and the tools', () => {
    expect(container.exec('node', '/opt/chat-web/deploy/oci/health.js').status).toBe(0);
    expect(container.exec('env', 'CHAT_WEB_PORT=1', 'node', '/opt/chat-web/deploy/oci/health.js').status).toBe(1);
    expect(requirePodman('run', '--rm', ...HOST_NETWORK, image, 'token')).toMatch(/CHAT_WEB_TOKEN=sha256:[0-9a-f]{64}/);
  });

  it('leaves no zombies after twenty deaths of browsers', async () => {
    for (let round = 0; round < 4; round += 1) {
      const browsers = processes(/^(?!.* --type=).* --chat-web-owner=/);
      expect(browsers.length).toBe(IDS.length);
      for (const pid of browsers) process.kill(pid, 'SIGKILL');
      await eventually(() => {
        for (const pid of browsers) expect(() => process.kill(pid, 0)).toThrow();
      });
      await untilReady();
    }
    await eventually(() => expect(familyOf(container.pid).filter(({ isZombie }) => isZombie)).toEqual([]));
  });

  it('restores all sessions without a QR after kill -9, under another host name', async () => {
    container.signal('KILL');
    container.end();
    container[Symbol.dispose]();
    const startedAt = performance.now();
    container = await start('second', [PROFILE, '--hostname=second']);
    await untilReady();
    const seconds = (performance.now() - startedAt) / 1_000;
    await sendAndReceive(IDS);
    expect(container.logs).not.toContain('"status":"qr"');
    figure('image', `five sessions ready ${seconds.toFixed(0)} s after a kill, under another host name`);
  });

  it('ends within 30 s of SIGTERM', async () => {
    const startedAt = performance.now();
    container.signal('TERM');
    expect(container.end()).toBe(0);
    const seconds = (performance.now() - startedAt) / 1_000;
    expect(seconds).toBeLessThan(30);
    figure('image', `five sessions stopped ${seconds.toFixed(1)} s after SIGTERM`);
    container[Symbol.dispose]();
  });

  it('refuses a profile of a newer Chromium, and says which version to install', async () => {
    const lastVersion = '/data/sessions/one/session/Last\\ Version';
    const shell = (script: string) =>
      requirePodman(
        'run',
        '--rm',
        ...HOST_NETWORK,
        `--volume=${volume}:/data`,
        '--entrypoint=sh',
        image,
        '-euc',
        script,
      );
    const before = shell(`cat ${lastVersion}`);
    shell(`printf 999.0.1.2 > ${lastVersion}`);
    container = await start('newer');
    await untilReady(IDS.filter((id) => id !== 'one'));
    await eventually(async () => expect(await statusOf('one')).toBe('failed'));
    expect(await client().getSessionStatus({ id: 'one' })).toMatchObject({
      reason: 'LAUNCH_FAILED',
      message: expect.stringMatching(/last opened by browser version 999\.0\.1\.2.*install version 999 or newer$/),
    });
    expect(shell(`cat ${lastVersion}`)).toBe('999.0.1.2');
    shell(`printf ${before} > ${lastVersion}`);
    await client().startSession({ id: 'one' });
    await untilReady();
    container.signal('TERM');
    container.end();
    container[Symbol.dispose]();
  });

  it('runs browsers without their sandbox where the profile is missing, and says why', async () => {
    container = await start('without', []);
    await untilReady();
    const { unsandboxed } = await client().getHost({});
    expect(unsandboxed).toMatchObject({ sessions: IDS.length, reason: expect.stringContaining('not permitted') });
    expect(container.logs).toContain('browser sandbox disabled');
    await sendAndReceive(['one']);
  });

  it('does not start without a token, and prints what to run', () => {
    const { status, printed } = refusal();
    expect(status).toBe(78);
    expect(printed).toContain('docker run --rm IMAGE token');
  });

  it('does not start on a volume of another user, and prints the command', () => {
    const { status, printed } = refusal(`--env=CHAT_WEB_TOKEN=${TOKEN}`, `--volume=${folder}:/data`);
    expect(status).toBe(78);
    expect(printed).toContain(`chown -R ${USER}:${USER} /data`);
  });
});

/** A process and its descendants, of all users. The parent of an orphan is the first process of the container. */
function familyOf(first: number) {
  const { stdout } = spawnSync('ps', ['-eww', '-o', 'pid=,ppid=,stat=,args='], { encoding: 'utf8' });
  const all = [...stdout.matchAll(/^ *(\d+) +(\d+) +(\S+) +(.*)$/gm)].map(
    ([, pid, parent, state = '', command = '']) => {
      return { pid: Number(pid), parent: Number(parent), isZombie: state.startsWith('Z'), command };
    },
  );
  const family = all.filter(({ pid }) => pid === first);
  for (const { pid } of family) family.push(...all.filter(({ parent }) => parent === pid));
  return family;
}
