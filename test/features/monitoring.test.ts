import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ADA, BEN, browserAndWorkerIn, CARLA, eventually, freePort, listening, rawRequest } from '@chat-web/testing';
import { sharedStack } from '@chat-web/testing/story';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const FOLDER = fileURLToPath(new URL('../../deploy/monitoring/', import.meta.url));
const alerts = readFileSync(join(FOLDER, 'alerts.yml'), 'utf8');
const dashboard = readFileSync(join(FOLDER, 'dashboard.json'), 'utf8');
const TOKEN = 'sesame';

const hasPrometheus = ['prometheus', 'promtool'].every((name) => !spawnSync(name, ['--version']).error);

describe.runIf(hasPrometheus)('the alert rules', () => {
  it.each([
    ['check', 'rules', 'alerts.yml'],
    ['test', 'rules', 'alert-tests.yml'],
  ])('pass promtool %s %s', (...args) => {
    const { status, stdout, stderr } = spawnSync('promtool', args, { cwd: FOLDER, encoding: 'utf8' });
    expect(stdout + stderr).toContain('SUCCESS');
    expect(status).toBe(0);
  });
});

describe('a gateway', () => {
  const stack = sharedStack({
    settings: { CHAT_WEB_TOKEN: TOKEN, CHAT_WEB_WEBHOOK_RETRY_SECONDS: '1,1', CHAT_WEB_WEBHOOK_HOSTS: '127.0.0.0/8' },
  });
  let endpoint: Server;
  let status = 204;

  beforeAll(async () => {
    endpoint = createServer((request, response) => {
      request.resume().on('end', () => response.writeHead(status).end());
    });
    const port = await listening(endpoint);
    await stack.link('ada', ADA);
    await stack.link('carla', CARLA);
    await stack.client.createWebhook({ url: `http://127.0.0.1:${port}`, sessions: ['ada'] });
  });
  afterAll(() => new Promise((resolve) => endpoint.close(resolve)));

  it('has each setting that the rules name', () => {
    const settings = readFileSync(new URL('../../docs/settings.md', import.meta.url), 'utf8');
    for (const [name] of alerts.matchAll(/CHAT_WEB_\w+/g)) expect(settings).toContain(`\`${name}\``);
  });

  it('has each metric of the rules and the dashboard', async () => {
    const { text } = await rawRequest(stack.gateway.url, {
      path: '/metrics',
      headers: { authorization: `Bearer ${TOKEN}` },
    });
    const known = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name, type]) =>
      type === 'histogram' ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name],
    );
    const named = new Set(`${alerts}${dashboard}`.match(/\b(chat_web|nodejs|process)_[a-z0-9_]+/g));
    expect(named.size).toBeGreaterThan(25);
    expect([...named].filter((name) => !known.includes(name))).toEqual([]);
  });

  describe.runIf(hasPrometheus)('under load', () => {
    let folder: string;
    let prometheus: ChildProcess;
    let url: string;
    const stopping = new AbortController();
    let load: Promise<void>;

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'chat-web-prometheus-'));
      // An alert fires at once here, not after minutes.
      await writeFile(join(folder, 'alerts.yml'), alerts.replaceAll(/^ +for: .*\n/gm, ''));
      const { host } = new URL(stack.gateway.url);
      const config = {
        global: { scrape_interval: '1s', evaluation_interval: '1s' },
        rule_files: ['alerts.yml'],
        scrape_configs: [
          { job_name: 'chat-web', authorization: { credentials: TOKEN }, static_configs: [{ targets: [host] }] },
        ],
      };
      await writeFile(join(folder, 'prometheus.yml'), JSON.stringify(config)); // JSON is YAML.
      const port = await freePort();
      url = `http://127.0.0.1:${port}`;
      prometheus = spawn(
        'prometheus',
        ['--config.file=prometheus.yml', '--storage.tsdb.path=data', `--web.listen-address=127.0.0.1:${port}`],
        { cwd: folder, stdio: 'ignore' },
      );
      load = send();
    });
    afterAll(async () => {
      stopping.abort();
      await load;
      prometheus.kill();
      await rm(folder, { recursive: true, force: true });
    });

    async function send(): Promise<void> {
      for (let n = 0; !stopping.signal.aborted; n += 1) {
        await stack.client.sendMessage({ id: 'ada', type: 'text', to: BEN, body: `load ${n}` }).catch(() => {});
        await stack.phones.send(BEN, { to: ADA, body: `load ${n}` }).catch(() => {});
        await delay(100);
      }
    }

    const query = async <T>(path: string): Promise<T> => {
      const answer = await fetch(`${url}/api/v1${path}`);
      const { status: outcome, data, error } = (await answer.json()) as { status: string; data: T; error?: string };
      expect({ outcome, error }).toEqual({ outcome: 'success', error: undefined });
      return data;
    };
    const firing = async () => {
      const { alerts: all } = await query<{ alerts: { labels: Record<string, string>; state: string }[] }>('/alerts');
      return all.filter(({ state }) => state === 'firing').map(({ labels: { alertname } }) => alertname);
    };
    const untilFiring = (name: string) => eventually(async () => expect(await firing()).toContain(name));

    it('fills each panel of the dashboard', async () => {
      interface Panel {
        readonly title: string;
        readonly targets?: readonly { readonly expr: string }[];
      }
      const { panels } = JSON.parse(dashboard) as { panels: Panel[] };
      const emptyPanels = async () => {
        const empty: string[] = [];
        for (const { title, targets = [] } of panels) {
          const found = await Promise.all(
            targets.map(async ({ expr }) => {
              const filled = expr.replace(/\$(instance|session)/g, '.*').replaceAll('$__rate_interval', '15s');
              const { result } = await query<{ result: object[] }>(`/query?query=${encodeURIComponent(filled)}`);
              return result.length;
            }),
          );
          if (targets.length > 0 && Math.max(...found) === 0) empty.push(title);
        }
        return empty;
      };
      expect(panels.length).toBeGreaterThan(20);
      await eventually(async () => expect(await emptyPanels()).toEqual(['Restarts'])); // There were none.
    });

    it('fires no alert while all is well', async () => {
      // As root, browsers have no sandbox; and the machine may be busy.
      const expected = ['ChatWebUnsandboxed', 'ChatWebGatewayBusy'];
      expect((await firing()).filter((name) => !expected.includes(name ?? ''))).toEqual([]);
    });

    it('fires an alert for each of five faults', async () => {
      status = 500; // An endpoint that fails.
      await untilFiring('ChatWebWebhookBehind');
      await untilFiring('ChatWebDeadLetters');
      status = 410; // An endpoint that is gone.
      await untilFiring('ChatWebWebhookDisabled');
      for (let restarts = 0; restarts < 4; restarts += 1) {
        await stack.untilStatus('carla', 'ready');
        process.kill(browserAndWorkerIn(`${stack.dataDir}/sessions/carla`).browser, 'SIGKILL'); // A browser that is killed.
        await eventually(async () =>
          expect((await stack.client.getSessionStatus({ id: 'carla' })).restarts).toBeGreaterThan(restarts),
        );
      }
      await untilFiring('ChatWebSessionRestarts');
      await stack.phones.logout(CARLA); // An account that its phone unlinks.
      await untilFiring('ChatWebSessionsUnlinked');
      process.kill(stack.gateway.pid, 'SIGKILL');
      await untilFiring('ChatWebGatewayDown');
    });
  });
});
