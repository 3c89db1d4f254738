import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ADA, BEN, eventually, Systemd } from '@chat-web/testing';
import { sharedFolder } from '@chat-web/testing/hooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const CHECKOUT = fileURLToPath(new URL('../../', import.meta.url));
const NEEDED = 'systemd,systemd-sysv,dbus,curl,debconf,init-system-helpers,chromium';
const GATEWAY = 'http://127.0.0.1:3000';
const PHONES = 'http://127.0.0.1:9800';

function commandOf(program: string, ...args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, { cwd: CHECKOUT, encoding: 'utf8' });
  if (error || status !== 0) throw new Error(`${program} ${args.join(' ')}: ${error ?? stdout + stderr}`);
  return stdout.trim();
}

function missing(): string | undefined {
  const hasMmdebstrap = spawnSync('mmdebstrap', ['--version']).status === 0;
  return Systemd.missing() ?? (hasMmdebstrap ? undefined : 'mmdebstrap is not installed');
}

const why = missing();
if (why) console.log(`not tried: the Debian package: ${why}`);

describe.skipIf(why !== undefined)('the Debian package', () => {
  const folder = sharedFolder();
  let packages: readonly string[] = [];

  beforeAll(() => {
    commandOf('node', 'scripts/dist/artefact.js');
    const to = join(folder, 'packages');
    mkdirSync(to);
    packages = ['0.1.0', '0.1.1'].map((version) =>
      commandOf('node', 'scripts/dist/deb.js', '--version', version, '--to', to),
    );
  });

  it('has no errors of lintian', ({ skip }) => {
    skip(spawnSync('lintian', ['--version']).status !== 0, 'lintian is not installed');
    const { stdout } = spawnSync('lintian', ['--fail-on', 'none', ...packages], { encoding: 'utf8' });
    expect(stdout.split('\n').filter((line) => line.startsWith('E:'))).toEqual([]);
  });

  describe.each(['bookworm', 'trixie'])('on %s', (suite) => {
    let systemd: Systemd;
    let token = '';
    const [first, second] = [0, 1].map((place) => () => `/packages/${basename(packages[place] ?? '')}`);

    const ask = <T>(method: string, url: string, body: object = {}): T => {
      const headers = `-H 'Content-Type: application/json' -H 'Authorization: Bearer ${token}'`;
      return JSON.parse(systemd.sh(`curl -sS -m 60 -X ${method} ${headers} -d @- '${url}'`, JSON.stringify(body))) as T;
    };
    const apt = (...args: readonly string[]) =>
      systemd.sh(
        `DEBIAN_FRONTEND=noninteractive apt-get -y -o Acquire::Check-Valid-Until=false ${args.join(' ')} 2>&1`,
      );
    const untilReady = () =>
      eventually(() => expect(ask<{ status: string }>('GET', `${GATEWAY}/sessions/main/status`).status).toBe('ready'));
    const sends = () => {
      const body = { type: 'text', to: BEN, body: 'from the package' };
      expect(ask<{ ack: number }>('POST', `${GATEWAY}/sessions/main/messages`, body).ack).toBeGreaterThan(0);
    };

    beforeAll(async () => {
      const root = join(folder, suite);
      mkdirSync(root);
      commandOf('mmdebstrap', '--variant=minbase', `--include=${NEEDED}`, suite, root, 'http://deb.debian.org/debian');
      systemd = await Systemd.boot({ root, from: dirname(packages[0] ?? ''), to: '/packages' });
    });
    afterAll(() => systemd?.[Symbol.asyncDispose]());

    it('installs with one command, shows the token once, and the service runs', async () => {
      const printed = apt('install', first?.() ?? '');
      token = /^ {2}([\w-]{43})$/m.exec(printed)?.[1] ?? '';
      expect(token).not.toBe('');
      expect(systemd.sh('stat -c "%a %U %G" /etc/chat-web/token /etc/chat-web/gateway.env /var/lib/chat-web')).toBe(
        '640 root chat-web\n600 root root\n700 chat-web chat-web\n',
      );
      await eventually(() => systemd.sh(`curl -sSf ${GATEWAY}/health/ready`));
      expect(systemd.sh(`curl -s -o /dev/null -w '%{http_code}' ${GATEWAY}/sessions`)).toBe('401');
      expect(ask<object>('GET', `${GATEWAY}/sessions`)).toEqual({ sessions: [] });
    });

    it('links an account, and sends', async () => {
      const simulator = systemd.start(['chat-web', 'simulator', '--control-port', '9800']);
      const browserArgs = await eventually(() => {
        const [line] = /^CHAT_WEB_BROWSER_ARGS=.*$/m.exec(simulator.join('')) ?? [];
        if (!line) throw new Error(simulator.join(''));
        return line;
      });
      systemd.sh('cat >> /etc/chat-web/gateway.env && systemctl restart chat-web', `${browserArgs}\n`);
      await eventually(() => systemd.sh(`curl -sSf ${GATEWAY}/health/ready`));
      const { qr } = ask<{ qr: string }>('POST', `${GATEWAY}/sessions/main/start`);
      ask('POST', `${PHONES}/accounts/${ADA}/scan`, { qr });
      await untilReady();
      sends();
    });

    it('keeps settings, token and accounts at an upgrade', async () => {
      const settings = systemd.sh('cat /etc/chat-web/gateway.env /etc/chat-web/token');
      expect(apt('-o Dpkg::Options::=--force-confold install', second?.() ?? '')).not.toContain('shown only now');
      expect(systemd.sh('dpkg -s chat-web')).toContain('Version: 0.1.1\n');
      expect(systemd.sh('cat /etc/chat-web/gateway.env /etc/chat-web/token')).toBe(settings);
      await untilReady();
      sends();
    });

    it('starts the service again after an upgrade that was aborted, and is installed although it cannot start', async () => {
      systemd.sh('systemctl stop chat-web && /var/lib/dpkg/info/chat-web.postinst abort-upgrade 0.1.1');
      await untilReady();
      systemd.sh("sed -i '1i CHAT_WEB_PORT=none' /etc/chat-web/gateway.env");
      expect(apt('-o Dpkg::Options::=--force-confold --reinstall install', second?.() ?? '')).toContain(
        'journalctl -u',
      );
      expect(systemd.sh('dpkg -s chat-web')).toContain('Status: install ok installed\n');
      systemd.sh("sed -i '1d' /etc/chat-web/gateway.env && systemctl restart chat-web");
      await untilReady();
    });

    it('keeps them when it is removed and installed again', async () => {
      apt('remove chat-web');
      expect(systemd.run(['pgrep', '-u', 'chat-web']).status).toBe(1);
      expect(systemd.sh('ls /usr/lib/chat-web /usr/bin/chat-web 2>&1 || true')).toContain('No such file');
      apt('install', second?.() ?? '');
      await untilReady();
      sends();
    });

    it('leaves only the accounts when it is purged, unless their deletion is confirmed', () => {
      apt('purge chat-web');
      expect(systemd.sh('ls -A /etc/chat-web 2>/dev/null || true')).toBe('');
      expect(systemd.sh('ls /var/lib/chat-web/sessions')).toContain('main');
      apt('install', second?.() ?? '');
      systemd.sh('echo chat-web chat-web/delete-accounts boolean true | debconf-set-selections');
      apt('purge chat-web');
      expect(systemd.run(['test', '-e', '/var/lib/chat-web']).status).toBe(1);
    });
  });
});
