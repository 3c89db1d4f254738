import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { parseEnv } from 'node:util';
import { describe, expect, it } from 'vitest';
import { readConfig } from './config.ts';
import { ConfigError } from './config-error.ts';
import { type Setting, settings } from './settings.ts';

const known = Object.values<Setting>(settings).map(({ name }) => name);

function problemsOf(env: Record<string, string>): readonly string[] {
  try {
    readConfig(env);
    return [];
  } catch (error) {
    return error instanceof ConfigError ? error.problems : [String(error)];
  }
}

describe('readConfig', () => {
  it('requires no setting', () => {
    expect(readConfig({})).toMatchObject({
      host: '127.0.0.1',
      port: 3_000,
      token: undefined,
      autoStartSessions: true,
      browserArgs: [],
      startConcurrency: availableParallelism(),
      startTimeoutMs: 90_000,
      maxBodyBytes: 104_857_600,
      logLevel: 'info',
    });
    expect(Object.isFrozen(readConfig({}))).toBe(true);
  });

  it.each(['true', 'TRUE', '1', 'yes'])('reads %s as yes', (written) => {
    expect(readConfig({ CHAT_WEB_AUTO_START_SESSIONS: written }).autoStartSessions).toBe(true);
  });

  it.each(['false', 'False', '0', 'no'])('reads %s as no', (written) => {
    expect(readConfig({ CHAT_WEB_AUTO_START_SESSIONS: written }).autoStartSessions).toBe(false);
  });

  it.each([
    ['0', 0],
    ['0.2', 0.2],
    ['12.125', 12.125],
    ['1000', 1_000],
    ['1000.1', undefined],
    ['0.0001', undefined],
    ['.5', undefined],
    ['1e3', undefined],
    ['-1', undefined],
    ['fast', undefined],
  ])('reads a rate of %s as %j', (written, rate) => {
    const env = { CHAT_WEB_MAX_SENDS_PER_SECOND: written };
    if (rate !== undefined) expect(readConfig(env).maxSendsPerSecond).toBe(rate);
    else expect(problemsOf(env)).toEqual([expect.stringMatching(/^CHAT_WEB_MAX_SENDS_PER_SECOND must be /)]);
  });

  it('falls back to variables of the host, unless its own setting is set', () => {
    const host = { STATE_DIRECTORY: '/var/lib/chat-web:/x', PUPPETEER_EXECUTABLE_PATH: '/opt/chrome' };
    expect(readConfig(host)).toMatchObject({ dataDir: '/var/lib/chat-web', browserPath: '/opt/chrome' });
    const own = { CHAT_WEB_DATA_DIR: '/srv/data', CHAT_WEB_BROWSER_PATH: '/usr/bin/chromium' };
    expect(readConfig({ ...host, ...own })).toMatchObject({ dataDir: '/srv/data', browserPath: '/usr/bin/chromium' });
  });

  it('names every invalid setting on its own line, and repeats no value', () => {
    const problems = problemsOf({
      CHAT_WEB_PORT: '70000',
      CHAT_WEB_TOKEN: 'two words',
      CHAT_WEB_AUTO_START_SESSIONS: 'perhaps',
      CHAT_WEB_BROWSER_ARGS: '--lang=de',
      CHAT_WEB_START_CONCURRENCY: '-1',
      CHAT_WEB_LOG_LEVEL: 'loud',
    });
    expect(problems.map((problem) => problem.split(' ')[0])).toEqual([
      'CHAT_WEB_PORT',
      'CHAT_WEB_TOKEN',
      'CHAT_WEB_AUTO_START_SESSIONS',
      'CHAT_WEB_BROWSER_ARGS',
      'CHAT_WEB_START_CONCURRENCY',
      'CHAT_WEB_LOG_LEVEL',
    ]);
    expect(problems.join()).not.toMatch(/two words|perhaps|loud|70000/);
  });

  it("passes on to workers what programs need, but not the gateway's own variables", () => {
    const own = {
      CHAT_WEB_TOKEN: 'x',
      NOTIFY_SOCKET: '/run/x',
      WATCHDOG_USEC: '1',
      WATCHDOG_PID: '1',
      LISTEN_FDS: '1',
    };
    const host = { PATH: '/bin', HOME: '/home/x', LC_ALL: 'C', XDG_CACHE_HOME: '/var/cache/x' };
    expect(readConfig({ ...own, ...host, STATE_DIRECTORY: '/var/lib/x', SECRET: 'x' }).workerEnv).toEqual(host);
    const display = { DISPLAY: ':0', XAUTHORITY: '/run/x' };
    expect(readConfig(display).workerEnv).toEqual({});
    expect(readConfig({ ...display, CHAT_WEB_BROWSER_WINDOW: 'true' }).workerEnv).toEqual(display);
  });

  it('takes exact origins of other web pages, and no pattern', () => {
    const { corsOrigins } = readConfig({ CHAT_WEB_CORS_ORIGINS: 'https://App.example.org, http://localhost:5173' });
    expect(corsOrigins).toEqual(['https://app.example.org', 'http://localhost:5173']);
    for (const wrong of [
      '*',
      'null',
      'app.example.org',
      'https://*.example.org',
      'https://app.example.org/',
      'https://app.example.org:443',
      'https://a@b.org',
      'file:///x',
      'https://a.org,*',
    ])
      expect(problemsOf({ CHAT_WEB_CORS_ORIGINS: wrong })).toEqual([
        expect.stringMatching(/^CHAT_WEB_CORS_ORIGINS must be origins/),
      ]);
  });

  it('refuses a window for a browser without one', () => {
    expect(problemsOf({ CHAT_WEB_BROWSER_WINDOW: 'true', CHAT_WEB_HEADLESS_SHELL: 'true' }).join()).toMatch(/not both/);
  });

  const refusesBlank = Object.values<Setting>(settings).flatMap((s) => (s.refusesBlank ? [s.name] : []));

  it('treats an empty setting as unset, unless that could open the gateway by mistake', () => {
    const empty = known.filter((name) => !refusesBlank.includes(name));
    expect(readConfig(Object.fromEntries(empty.map((name) => [name, ' '])))).toEqual(readConfig({}));
    expect(refusesBlank).toContain('CHAT_WEB_TOKEN');
  });

  it.each(refusesBlank)('refuses an empty or blank %s', (name) => {
    for (const blank of ['', ' ', '\t\n'])
      expect(problemsOf({ [name]: blank })).toEqual([expect.stringContaining(name)]);
  });

  it.each([
    ['CHAT_WEB_TOKN', 'CHAT_WEB_TOKEN'],
    ['CHAT_WEB_TOKEN_', 'CHAT_WEB_TOKEN'],
    ['chat_web_token', 'CHAT_WEB_TOKEN'],
    ['CHATWEB_TOKEN', 'CHAT_WEB_TOKEN'],
    ['CHAT_WEB_PORTS', 'CHAT_WEB_PORT'],
    ['CHAT_WEB_HSOT', 'CHAT_WEB_HOST'],
    ['CHAT_WEB_MAX_BODY_BYTE', 'CHAT_WEB_MAX_BODY_BYTES'],
  ])('refuses %s, which is not a setting, and names %s', (name, meant) => {
    expect(problemsOf({ [name]: 'sesame' })).toEqual([`${name} is not a setting: did you mean ${meant}?`]);
  });

  it.each([
    [{ CHAT_WEB_PORT: 'off' }, 'nothing to connect to'],
    [{ CHAT_WEB_TLS_CERT: '/cert.pem' }, 'or neither'],
    [
      {
        CHAT_WEB_PORT: 'off',
        CHAT_WEB_SOCKET: '/run/s',
        CHAT_WEB_TLS_CERT: '/c',
        CHAT_WEB_TLS_KEY: '/k',
      },
      'CHAT_WEB_TLS_CERT has no effect',
    ],
    [{ CHAT_WEB_SOCKET_MODE: '0660' }, 'CHAT_WEB_SOCKET_MODE has no effect'],
    [{ CHAT_WEB_SOCKET_GROUP: 'caddy' }, 'CHAT_WEB_SOCKET_GROUP has no effect'],
  ])('rejects the conflicting settings %j', (env, why) => {
    expect(problemsOf(env)).toEqual([expect.stringContaining(why)]);
  });

  it('ignores foreign names', () => {
    expect(problemsOf({ CHAT_APP_SECRET: 'x', WEB_CHAT_WEB_TOKEN: 'x', CHAT_WEBHOOK: 'x' })).toEqual([]);
  });

  it.each(['0.0.0.0', '::', '192.0.2.1', 'gateway.lan', '127.evil.example'])(
    'listens on %s only with a token, or if explicitly allowed without',
    (host) => {
      expect(problemsOf({ CHAT_WEB_HOST: host })).toEqual([
        expect.stringMatching(/^CHAT_WEB_HOST .*"chat-web token".*CHAT_WEB_TOKEN.*CHAT_WEB_ALLOW_NO_TOKEN=true/),
      ]);
      expect(problemsOf({ CHAT_WEB_HOST: host, CHAT_WEB_TOKEN: 'sesame' })).toEqual([]);
      expect(problemsOf({ CHAT_WEB_HOST: host, CHAT_WEB_ALLOW_NO_TOKEN: 'true' })).toEqual([]);
    },
  );
});

it('matches the table in docs/settings.md', () => {
  const page = readFileSync(new URL('../../../docs/settings.md', import.meta.url), 'utf8');
  for (const setting of Object.values<Setting>(settings)) {
    const written = setting.fallback ? `\`${setting.fallback}\`` : 'none';
    const fallback = setting.fallbackIs ?? written;
    expect(page).toContain(`| \`${setting.name}\` | ${fallback} | ${setting.meaning} |`);
  }
});

it.each(['gateway.env', 'reload.env'])('knows every setting of %s, with its default value', (name) => {
  const example = readFileSync(new URL(`../../../deploy/systemd/${name}`, import.meta.url), 'utf8');
  const written = parseEnv(example.replace(/^#(?=CHAT_WEB_\w+=)/gm, ''));
  expect(known).toEqual(expect.arrayContaining(Object.keys(written)));
  const CHAT_WEB_TOKEN_FILE = '/etc/chat-web/token'; // The service starts only with a token.
  expect(readConfig({ ...written, CHAT_WEB_TOKEN_FILE })).toEqual(readConfig({ CHAT_WEB_TOKEN_FILE }));
});
