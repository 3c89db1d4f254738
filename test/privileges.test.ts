import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { figure } from './helpers/figure.ts';
import { browsersIn, workersOf } from './helpers/processes.ts';
import { ADA, BEN, Stack } from './helpers/stack.ts';

const SECRETS = {
  CHAT_WEB_TOKEN: 'planted-token-7d1',
  DATABASE_URL: 'postgres://app:planted-password-22c@db/app',
  AWS_SECRET_ACCESS_KEY: 'planted-key-91f',
};
const BODY = 'planted-body-5ab';

describe('what a session is given', () => {
  let stack: Stack;
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'chat-web-cwd-'));
    const marker = join(folder, 'executed');
    await writeFile(join(folder, '.puppeteerrc.cjs'), `require('fs').writeFileSync(${JSON.stringify(marker)}, '')`);
    stack = await Stack.start({ settings: SECRETS, cwd: folder });
    await stack.link('ada', ADA);
    await stack.client.sendMessage({ id: 'ada', type: 'text', to: BEN, body: BODY });
  });
  afterAll(async () => {
    await stack[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });

  const children = () => [...workersOf(stack.gateway.pid), ...browsersIn(stack.dataDir)];

  it('holds none of the secrets of the gateway, neither in environments nor in arguments, and the log neither', () => {
    const secrets = [...Object.values(SECRETS), BODY];
    const texts = children().flatMap((pid) => [read(pid, 'environ'), read(pid, 'cmdline')]);
    expect(texts.join('').length).toBeGreaterThan(1_000);
    const seen = secrets.filter((secret) => [...texts, ...stack.gateway.log].some((text) => text.includes(secret)));
    expect(seen).toEqual([]);
    figure(26, `${secrets.length} planted secrets in no environment, argument or line of the log`);
  });

  it('is no port that another user of the machine could drive a browser by', () => {
    const ports = children().flatMap((pid) => listeningPorts(pid));
    expect(ports).toEqual([]);
    expect(listeningPorts(stack.gateway.pid)).toHaveLength(1);
  });

  it('is no configuration that lies about in the working directory', () => {
    expect(existsSync(join(folder, 'executed'))).toBe(false);
  });
});

it('no package runs a script at its installation', () => {
  const lock = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8')) as {
    packages: Record<string, { hasInstallScript?: boolean; optional?: boolean; dev?: boolean }>;
  };
  const scripted = Object.entries(lock.packages).filter(([, { hasInstallScript, dev }]) => hasInstallScript && !dev);
  expect(scripted.map(([name]) => name).filter(Boolean)).toEqual([]);
});

function read(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return ''; // It has ended, or has sealed itself off.
  }
}

/** Ports on which a process listens, by the sockets that it has open. */
function listeningPorts(pid: number): number[] {
  const inodes = new Set(
    readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      try {
        return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? [];
      } catch {
        return []; // Closed while we looked.
      }
    }),
  );
  const LISTEN = '0A';
  return ['tcp', 'tcp6'].flatMap((table) =>
    read(pid, `net/${table}`)
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .filter(([, , , state, , , , , , inode]) => state === LISTEN && inodes.has(inode ?? ''))
      .map(([, local]) => Number.parseInt(local?.split(':')[1] ?? '', 16)),
  );
}
