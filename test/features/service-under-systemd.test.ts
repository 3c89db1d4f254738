import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ADA, BEN, eventually, figure, Systemd } from '@chat-web/testing';
import { sharedFolder } from '@chat-web/testing/hooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const TOKEN = 'planted-token-a41';
const GATEWAY = 'http://127.0.0.1:3000';
const PHONES = 'http://127.0.0.1:9800';
const LOG = '/var/log/chat-web';
const ARTEFACT = fileURLToPath(new URL('../../scripts/dist/artefact.js', import.meta.url));

const why = Systemd.missing();
if (why) console.log(`not tried: ${why}`);

describe.skipIf(why !== undefined)('the unit, under a real systemd', () => {
  const folder = sharedFolder();
  let systemd: Systemd;

  const show = (name: string) => systemd.sh(`systemctl show --property=${name} --value chat-web`).trim();
  const log = () => systemd.sh(`cat ${LOG}`);

  /** Sends a request to gateway or phones, from inside. */
  function ask<T>(method: string, url: string, body?: object): T {
    const headers = `-H 'Content-Type: application/json' -H 'Authorization: Bearer ${TOKEN}'`;
    const answer = systemd.sh(`curl -sS -m 60 -X ${method} ${headers} -d @- '${url}'`, JSON.stringify(body ?? {}));
    return JSON.parse(answer) as T;
  }

  const statusOfMain = () => ask<{ status: string }>('GET', `${GATEWAY}/sessions/main/status`).status;

  /** Runs a program as a compromised worker would: as its user, in its namespaces and its cgroup. */
  function asWorker(...command: readonly string[]) {
    const group = show('ControlGroup');
    const ids = systemd.sh('id -u chat-web; id -g chat-web').trim().split('\n');
    const enter = `nsenter --target=${show('MainPID')} --mount --user --setuid=${ids[0]} --setgid=${ids[1]} --`;
    return systemd.run([
      'sh',
      '-c',
      `echo $$ > /sys/fs/cgroup${group}/gateway/cgroup.procs; exec ${enter} "$@"`,
      'sh',
      ...command,
    ]);
  }

  beforeAll(async () => {
    execFileSync(process.execPath, [ARTEFACT, join(folder, 'chat-web')]);
    systemd = await Systemd.boot({ root: '/', from: join(folder, 'chat-web'), to: '/usr/lib/chat-web' });
    const simulator = systemd.start([
      'node',
      '/usr/lib/chat-web/bin/chat-web.js',
      'simulator',
      '--control-port',
      '9800',
    ]);
    const browserArgs = await eventually(() => {
      const [line] = /^CHAT_WEB_BROWSER_ARGS=.*$/m.exec(simulator.join('')) ?? [];
      if (!line) throw new Error(simulator.join(''));
      return line;
    });
    systemd.sh(
      `cd /usr/lib/chat-web/deploy/systemd
      install -D -m 644 chat-web.sysusers.conf /etc/sysusers.d/chat-web.conf
      install -D -m 644 chat-web.tmpfiles.conf /etc/tmpfiles.d/chat-web.conf
      install -D -m 644 chat-web.service /etc/systemd/system/chat-web.service
      install -D -m 600 gateway.env /etc/chat-web/gateway.env
      install -D -m 644 reload.env /etc/chat-web/reload.env
      printf %s ${TOKEN} > /etc/chat-web/token
      cat >> /etc/chat-web/gateway.env
      mkdir /etc/systemd/system/chat-web.service.d
      printf '[Service]\\nStandardOutput=append:${LOG}\\nStandardError=append:${LOG}\\n' > /etc/systemd/system/chat-web.service.d/log.conf
      systemd-sysusers
      systemd-tmpfiles --create /etc/tmpfiles.d/chat-web.conf
      systemctl daemon-reload
      systemctl start chat-web`,
      `${browserArgs}\n`,
    );
    const { qr } = ask<{ qr: string }>('POST', `${GATEWAY}/sessions/main/start`);
    ask('POST', `${PHONES}/accounts/${ADA}/scan`, { qr });
    await eventually(() => expect(statusOfMain()).toBe('ready'));
  });
  afterAll(() => systemd?.[Symbol.asyncDispose]());

  it('starts a gateway that reports its own status, and serves', async () => {
    expect(show('ActiveState')).toBe('active');
    await eventually(() => expect(show('StatusText')).toBe('1 session, 1 ready'));
    const main = show('MainPID');
    expect(systemd.sh(`tr '\\0' ' ' < /proc/${main}/cmdline`).trim()).toBe('node gateway/main.js');
    const body = { type: 'text', to: BEN, body: 'from the service' };
    expect(ask<{ ack: number }>('POST', `${GATEWAY}/sessions/main/messages`, body).ack).toBeGreaterThan(0);
  });

  it('keeps the sandbox of the browser, inside its own user namespace', () => {
    const main = show('MainPID');
    const renderer = systemd.sh('pgrep -f type=renderer | head -n 1').trim();
    const namespaces = (pid: string) =>
      systemd.sh(`readlink /proc/${pid}/ns/user /proc/${pid}/ns/pid /proc/${pid}/ns/net`).split('\n');
    const ofRenderer = namespaces(renderer);
    for (const [index, namespace] of namespaces(main).slice(0, 3).entries())
      expect(ofRenderer[index]).not.toBe(namespace);
    expect(namespaces(main)[0]).not.toBe(namespaces('1')[0]); // PrivateUsers
    expect(systemd.sh(`cat /proc/${renderer}/status`)).toMatch(/^Seccomp:\t2$/m);
    expect(log()).not.toContain('browser sandbox disabled');
    expect(ask<object>('GET', `${GATEWAY}/host`)).not.toHaveProperty('unsandboxed');
  });

  it.each(['RestrictNamespaces=user pid', 'RestrictNamespaces=yes', 'SystemCallFilter=~chroot'])(
    'would have no sandbox with %s, and say why',
    async (property) => {
      // The module by itself: the programs that are installed contain it.
      const probe = await readFile(new URL('../../packages/worker/dist/client/sandbox.js', import.meta.url), 'utf8');
      const script = `${probe}\nconsole.log(sandboxObstacle('/usr/bin/chromium', process.env))`;
      systemd.sh('cat > /run/probe.mjs', script);
      const obstacle = (...properties: readonly string[]) => {
        const service = ['User=chat-web', 'StandardOutput=truncate:/run/probe.out', ...properties];
        const unit = ['[Service]', 'Type=oneshot', 'ExecStart=node /run/probe.mjs', ...service];
        systemd.sh(
          'cat > /run/systemd/system/probe.service; systemctl daemon-reload; systemctl start probe',
          `${unit.join('\n')}\n`,
        );
        return systemd.sh('cat /run/probe.out').trim();
      };
      expect(obstacle()).toBe('undefined');
      const refusing = obstacle(property, 'SystemCallErrorNumber=EPERM');
      expect(refusing).toMatch(/^its namespaces cannot be created: .*Operation not permitted$/);
    },
  );

  it('accepts notifications from no other process than the gateway', async () => {
    const main = show('MainPID');
    const script = `use Socket; socket(S, AF_UNIX, SOCK_DGRAM, 0); connect(S, pack_sockaddr_un('/run/systemd/notify')) or die $!;
      for (qw(STATUS=forged MAINPID=1 STOPPING=1 WATCHDOG=trigger)) { syswrite(S, $_) or die $! } sleep 1`;
    expect(asWorker('perl', '-e', script)).toEqual({ status: 0, stdout: '', stderr: '' });
    expect([show('MainPID'), show('ActiveState'), show('StatusText')]).toEqual([main, 'active', '1 session, 1 ready']);
  });

  it('gives a worker no access to the settings of root, to other processes, or to a place for a program', () => {
    expect(asWorker('cat', '/etc/chat-web/gateway.env').stderr).toContain('Permission denied');
    expect(asWorker('cat', '/etc/chat-web/reload.env').status).toBe(0);
    for (const folder of ['/var/lib/chat-web', '/var/cache/chat-web', '/tmp', '/var/tmp', '/dev/shm'])
      expect(asWorker('sh', '-c', `cp /bin/true ${folder}/x && ${folder}/x`).stderr, folder).toContain(
        'Permission denied',
      );
    for (const path of ['/usr/lib/chat-web/x', '/etc/x', '/usr/x'])
      expect(asWorker('touch', path).stderr, path).toMatch(/Read-only file system|Permission denied/);
    expect(asWorker('ls', '/home').status).not.toBe(0);
    expect(asWorker('cat', '/proc/1/comm').stderr).toContain('No such file');
    expect(asWorker('cat', '/etc/shadow').stderr).toContain('Permission denied');
  });

  it.skipIf(process.arch !== 'x64')('refuses system calls that give access to other processes or the kernel', () => {
    const calls = {
      ptrace: 101,
      process_vm_readv: 310,
      process_vm_writev: 311,
      pidfd_getfd: 438,
      keyctl: 250,
      userfaultfd: 323,
      io_uring_setup: 425,
      bpf: 321,
      perf_event_open: 298,
      mount: 165,
      getppid: 110,
    };
    const script = Object.entries(calls).map(
      ([name, number]) => `$! = 0; syscall(${number}, 0, 0, 0, 0, 0, 0); print "${name} ", $! + 0, "\\n";`,
    );
    const unit = systemd
      .sh('cat /etc/systemd/system/chat-web.service')
      .replace(/^(Type|ExecStart|ExecReload|WatchdogSec|Restart\w*|NotifyAccess|Environment.*)=.*\n/gm, '')
      .replace(
        '[Service]',
        '[Service]\nType=oneshot\nExecStart=perl /run/probe.pl\nStandardOutput=file:/run/probe.out',
      );
    systemd.sh('cat > /run/probe.pl', script.join('\n').replaceAll('\\n', '\n'));
    systemd.sh('cat > /etc/systemd/system/probe.service; systemctl daemon-reload; systemctl start probe', unit);
    const errors = Object.fromEntries(
      systemd
        .sh('cat /run/probe.out')
        .trim()
        .split('\n')
        .map((line) => [line.split(' ')[0], Number(line.split(' ')[1])]),
    );
    const EPERM = 1;
    expect(errors).toEqual({ ...Object.fromEntries(Object.keys(calls).map((name) => [name, EPERM])), getppid: 0 });
  });

  it('blocks addresses from which a cloud serves credentials, and no others', () => {
    const denied = [
      '169.254.169.254',
      '168.63.129.16',
      '100.100.100.200',
      '192.0.0.192',
      '[fd00:ec2::254]',
      '[fd20:ce::254]',
    ];
    const open = ['10.9.9.9', '[fd12::1]'];
    for (const address of [...denied, ...open]) {
      const bare = address.replace(/[[\]]/g, '');
      systemd.sh(`ip addr add ${bare}/${bare.includes(':') ? '128 dev lo nodad' : '32 dev lo'}`);
    }
    systemd.start(['node', '-e', "require('http').createServer((_, r) => r.end('credentials')).listen(8080, '::')"]);
    systemd.sh('until curl -s -o /dev/null http://127.0.0.1:8080/; do sleep 0.2; done');
    const fetched = (address: string, seconds: string) =>
      asWorker('curl', '-g', '-s', '-m', seconds, `http://${address}:8080/`).stdout;
    for (const address of [...denied, '[::ffff:169.254.169.254]']) {
      expect(systemd.run(['curl', '-g', '-s', `http://${address}:8080/`]).stdout, address).toBe('credentials');
      expect(fetched(address, '1'), address).toBe('');
    }
    for (const address of open) expect(fetched(address, '20'), address).toBe('credentials');
  });

  it('reloads the log level from the file that it can read', async () => {
    systemd.sh('echo CHAT_WEB_LOG_LEVEL=debug >> /etc/chat-web/reload.env; systemctl reload chat-web');
    await eventually(() => expect(log()).toContain('"logLevel":"debug"'));
    expect(log()).not.toContain('log level not changed');
  });

  it('still notifies systemd after it has re-executed itself, and is restarted when it hangs', async () => {
    systemd.sh('systemctl daemon-reexec');
    const before = show('WatchdogTimestampMonotonic');
    await eventually(() => expect(Number(show('WatchdogTimestampMonotonic'))).toBeGreaterThan(Number(before)));
    const main = show('MainPID');
    const stopped = performance.now();
    systemd.sh(`kill -STOP ${main}`);
    await eventually(
      () =>
        expect([show('ActiveState'), show('MainPID')]).toEqual(['active', expect.not.stringMatching(`^(${main}|0)$`)]),
      90_000,
    );
    const seconds = (performance.now() - stopped) / 1_000;
    await eventually(() => expect(statusOfMain()).toBe('ready'));
    figure(
      'systemd unit',
      `under systemd: forged notifications ignored, sandbox on; restarted ${seconds.toFixed(0)} s after it hung`,
    );
  });

  it('serves a proxy through a socket, as docs/reverse-proxy.md describes, and no other user', async () => {
    const page = await readFile(new URL('../../docs/reverse-proxy.md', import.meta.url), 'utf8');
    const block = (pattern: RegExp) =>
      [...page.matchAll(/^```(?:ini|sh)\n(.*?)^```/gms)]
        .map(([, text = '']) => text)
        .find((text) => pattern.test(text)) ?? '';
    const drop = '/etc/systemd/system/chat-web.service.d';
    const restart = 'systemctl daemon-reload; systemctl restart chat-web';
    systemd.sh(`cat > ${drop}/proxy.conf`, block(/RuntimeDirectory=/));
    systemd.sh('cat >> /etc/chat-web/gateway.env', block(/CHAT_WEB_SOCKET=/));
    systemd.sh(`${block(/usermod/)}\n${restart}`);
    const socket = '/run/chat-web/gateway.sock';
    const asked = (user: string, group: string) => {
      const curl = ['curl', '-sS', '-m', '10', '--unix-socket', socket, 'http://localhost/health'];
      return systemd.run(['setpriv', `--reuid=${user}`, `--regid=${group}`, '--init-groups', '--', ...curl]);
    };
    const socketIs = () => systemd.sh(`stat -c '%U %G %a' ${socket}`).trim();
    expect(socketIs()).toBe('chat-web chat-web 660');
    expect(JSON.parse(asked('www-data', 'www-data').stdout)).toMatchObject({ ok: true });
    expect(asked('nobody', 'nogroup')).toMatchObject({ status: 7, stdout: '' });
    expect(asWorker('sh', '-c', 'cp /bin/true /run/chat-web/x && /run/chat-web/x').stderr).toContain(
      'Permission denied',
    );

    systemd.sh(`printf '[Service]\\nGroup=www-data\\n' > ${drop}/group.conf; ${restart}`);
    expect(socketIs()).toBe('chat-web www-data 660');
    expect(systemd.sh("stat -c '%G %a' /var/lib/chat-web").trim()).toBe('www-data 700');
    expect(JSON.parse(asked('www-data', 'www-data').stdout)).toMatchObject({ ok: true });

    systemd.sh(`printf '[Service]\\nSupplementaryGroups=www-data\\n' > ${drop}/group.conf
      echo CHAT_WEB_SOCKET_GROUP=www-data >> /etc/chat-web/gateway.env`);
    expect(systemd.run(['sh', '-c', restart]).status).not.toBe(0);
    expect(show('ExecMainStatus')).toBe('78');
  });

  it('has logged no secret', async () => {
    const written = log();
    expect(written.length).toBeGreaterThan(500);
    for (const secret of [TOKEN, ADA, BEN, 'from the service']) expect(written).not.toContain(secret);
    expect(await readFile('/proc/self/cgroup', 'utf8')).not.toContain('chat-web.service');
  });
});
