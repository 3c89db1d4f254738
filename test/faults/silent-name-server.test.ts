import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { spawnGateway } from '@chat-web/gateway/tools';
import { createClient } from '@chat-web/host';
import { eventually, figure, listening, NameServer, seconds, takes, withRoom } from '@chat-web/testing';
import { sharedFolder } from '@chat-web/testing/hooks';
import { expect, it } from 'vitest';

const TOKEN = 'the-operators-token';
/** On the port of DNS, which only root can listen on, and an address that no resolver of the machine uses. */
const ADDRESS = '127.0.0.153';
const PORT = 53;
/** The gateway has a resolv.conf of its own. */
const MOUNT = 'mount --bind "$0" /etc/resolv.conf && exec "$@"';
const SILENT_WEBHOOKS = 20;
const HOSTS = Array.from({ length: SILENT_WEBHOOKS }, (_, n) => `hang-${n}.test`);
const SILENT_PROXIES = 100;
/** Of one key, for its webhooks and the proxies of its sessions. */
const LOOK_UPS_AT_A_TIME = 16;
const APP = 'app.test';
const TESTS_EACH = 2;
const LOOK_UP_MS = 5_000;

const dir = sharedFolder();
const names = process.getuid?.() === 0 ? await NameServer.start(ADDRESS, PORT).catch(() => undefined) : undefined;

it.runIf(names)('domains of one key whose name server is silent hold no webhook of others', async () => {
  using server = names as NameServer;
  const received: string[] = [];
  const application = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
    });
    request.on('end', () => {
      received.push(JSON.parse(text).type);
      response.end();
    });
  });
  const port = await listening(application);
  const urlOf = (host: string) => `http://${host}:${port}/`;
  const resolverFile = join(dir, 'resolv.conf');
  await writeFile(resolverFile, `nameserver ${ADDRESS}\n`);
  const gateway = await spawnGateway(
    {
      CHAT_WEB_PORT: '0',
      CHAT_WEB_DATA_DIR: dir,
      CHAT_WEB_TOKEN: TOKEN,
      CHAT_WEB_WEBHOOK_HOSTS: [...HOSTS, APP].map((host) => `${host}:${port}`).join(),
      CHAT_WEB_BROWSER_PATH: '/bin/false',
    },
    { through: ['unshare', '--mount', 'sh', '-c', MOUNT, resolverFile] },
  );
  try {
    const operator = createClient({ url: gateway.url, token: TOKEN }, { retries: 0 });
    const { key } = await operator.createKey({ name: 'Shop', sessions: ['shop-*'], scope: 'manage' });
    const shop = createClient({ url: gateway.url, token: key }, { retries: 0 });
    for (const host of [...HOSTS, APP]) server.names.set(host, ['127.0.0.1']);
    const created = await Promise.all(HOSTS.map((host) => shop.createWebhook({ url: urlOf(host) })));
    for (const host of HOSTS) server.silent.add(host);
    for (let n = 0; n < SILENT_PROXIES; n += 1) server.silent.add(`proxy-hang-${n}.test`);

    let isOver = false;
    const refusals = new Set<string | undefined>();
    const failures: { ms: number; message: string | undefined }[] = [];
    const starts = Array.from({ length: SILENT_PROXIES }, async (_, n) => {
      const proxy = `http://proxy-hang-${n}.test:${port}`;
      while (!isOver) {
        const { code } = await shop.startSession({ id: `shop-${n}`, proxy }).catch((error) => error);
        refusals.add(code);
      }
    });
    const asked = () => new Set(server.asked.flatMap((question) => /proxy-hang-\d+/.exec(question) ?? []));
    await eventually(() => expect(asked()).not.toEqual(new Set()));
    await takes(500);
    expect(asked().size).toBeLessThanOrEqual(LOOK_UPS_AT_A_TIME);
    const attacks = created.flatMap(({ id }) =>
      Array.from({ length: TESTS_EACH }, async () => {
        while (!isOver) {
          const { ms, message } = await shop.testWebhook({ webhookId: id });
          failures.push({ ms, message });
        }
      }),
    );
    const attack = Promise.allSettled([...attacks, ...starts]);

    const startedAt = performance.now();
    const { id } = await operator.createWebhook({ url: urlOf(APP), events: ['status'] });
    expect(await operator.testWebhook({ webhookId: id })).toMatchObject({ ok: true });
    const createdMs = performance.now() - startedAt;
    expect(createdMs).toBeLessThan(withRoom(1_000));
    await operator.startSession({ id: 'main' }); // Its browser does not start.
    await eventually(() => expect(received).toEqual(expect.arrayContaining(['test', 'status'])));
    expect((await operator.getWebhook({ webhookId: id })).status).toBe('active');

    // The control: the others do hang, until the time limit of the look-up. The tests may have waited for each other.
    await eventually(() => expect(failures.length).toBeGreaterThan(SILENT_WEBHOOKS));
    isOver = true;
    await attack;
    expect(refusals).toEqual(new Set(['url_not_allowed']));
    for (const { ms, message } of failures) {
      expect(message).toBe('the connection failed (ETIMEOUT)');
      expect(ms).toBeLessThan(LOOK_UP_MS + withRoom(1_000));
    }
    expect(Math.max(...failures.map(({ ms }) => ms))).toBeGreaterThan(LOOK_UP_MS - 500);
    figure(
      'silent name servers',
      `${SILENT_WEBHOOKS * TESTS_EACH} webhook tests of a key at a time hang for ${seconds(LOOK_UP_MS)}: the operator creates and tests a webhook in ${seconds(createdMs)}`,
    );
  } finally {
    await gateway.end();
    application.close();
  }
});
