import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { freshFolder } from '@chat-web/testing/hooks';
import * as v from 'valibot';
import { beforeEach, expect, it } from 'vitest';
import { SessionSettings } from './session-settings.ts';

const PASSWORD = 'p@ss';
const PROXY = 'http://ada:p%40ss@proxy.example:3128';
const url = 'http://proxy.example:3128';

const folder = freshFolder();
let path: string;
let here: SessionSettings;
beforeEach(async () => {
  path = join(folder, 'session-settings.json');
  here = await SessionSettings.load(path);
});

const change = async (id: string, asked: object) => {
  const after = here.after(id, asked);
  if (after) await here.set(id, after);
  return after !== undefined;
};

it('keeps what is not given, removes what is null, and survives the process', async () => {
  expect(await change('main', { proxy: PROXY, deviceName: 'Shop' })).toBe(true);
  expect(await change('main', {})).toBe(false);
  expect(await change('main', { proxy: PROXY })).toBe(false);
  expect(await change('main', { proxy: PROXY.replace('ada', 'ben') })).toBe(true);
  const again = await SessionSettings.load(path);
  expect(again.of('main')).toEqual({ proxy: { url, username: 'ben', password: PASSWORD }, deviceName: 'Shop' });
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(await change('main', { deviceName: null, proxy: null })).toBe(true);
  expect([here.of('main'), here.viewOf('main'), here.partsOf('main')]).toEqual([{}, {}, []]);
});

it('shows no user and no password, and moves none', async () => {
  await change('main', { proxy: PROXY, deviceName: 'Shop' });
  const shown = { proxy: { url, hasCredentials: true }, deviceName: 'Shop' };
  expect(here.viewOf('main')).toEqual(shown);
  expect(here.partsOf('main')).toEqual([shown]);
  expect(v.is(here.part, shown)).toBe(true);
  expect(v.is(here.part, { proxy: { url: PROXY, hasCredentials: true } })).toBe(false);
  expect(v.is(here.part, { proxy: { url: 'http://a;direct:1', hasCredentials: true } })).toBe(false);
});

it('of a session that arrives lacks the password, unless it had the same proxy here', async () => {
  const part = { proxy: { url, hasCredentials: true } };
  await here.restore('main', part);
  expect(here.of('main')).toEqual({ proxy: { url, lacksCredentials: true } });
  expect(here.viewOf('main')).toEqual({ proxy: { url, hasCredentials: false } });
  expect(here.partsOf('main')).toEqual([part]);
  await change('main', { proxy: PROXY });
  expect(here.of('main').proxy).toEqual({ url, username: 'ada', password: PASSWORD });
  await here.restore('main', part);
  expect(here.of('main').proxy).toMatchObject({ password: PASSWORD });
  await here.restore('main', { proxy: { url, hasCredentials: false } });
  expect(here.of('main').proxy).toEqual({ url });
});

it('ends with the session', async () => {
  for (const id of ['main', 'shop']) await change(id, { proxy: PROXY });
  await here.clear('main');
  expect(here.of('main')).toEqual({});
  await here.retain((id) => id !== 'shop');
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ sessions: [] });
});

it('is unchanged if it cannot be stored, with 503', async () => {
  path = join(folder, 'gone', 'session-settings.json');
  here = await SessionSettings.load(path);
  const error = await change('main', { proxy: PROXY }).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'insufficient_resources' });
  expect(String(error)).not.toContain(PASSWORD);
  expect(here.of('main')).toEqual({});
  await mkdir(join(path, '..'));
  expect(await change('main', { proxy: PROXY })).toBe(true);
});

it.each(['{', '{"sessions":[{"id":"main","proxy":{"url":"no url"}}]}', '{"sessions":{}}'])(
  'stops the start with a file that says %s: a session must not start without its proxy',
  async (text) => {
    writeFileSync(path, text);
    await expect(SessionSettings.load(path)).rejects.toThrow(/cannot be read/);
  },
);
