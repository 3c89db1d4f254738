import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { operations } from '@chat-web/protocol';
import type { ElementHandle } from 'puppeteer';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { storedEvents } from '../helpers/all-events.ts';
import { ConsolePage } from '../helpers/console-page.ts';
import { eventually } from '../helpers/eventually.ts';
import { hostileTexts } from '../helpers/hostile-texts.ts';
import { media } from '../helpers/media.ts';
import { ADA, BEN, Stack } from '../helpers/stack.ts';

const TOKEN = 'the-operators-token';
const [image] = media;

let stack: Stack;
let seen: ConsolePage;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chat-web-test-'));
  await writeFile(join(folder, 'two by two.png'), image.bytes);
  stack = await Stack.start({ settings: { CHAT_WEB_TOKEN: TOKEN } });
  await stack.linkLongAgo('main', ADA);
  seen = await ConsolePage.open({ url: stack.gateway.url, token: TOKEN });
});

afterAll(async () => {
  await seen[Symbol.asyncDispose]();
  await stack[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

const choose = (label: string, option: string) =>
  seen.page.select(`::-p-aria([name="${label}"][role="combobox"])`, option);
const shownCode = (title: string) =>
  seen.page.$eval(`::-p-aria([name="${title}"][role="region"])`, (region) => region.textContent ?? '');
const chooseFile = async (path: string) => {
  const input = (await seen.page.waitForSelector('input[type=file]')) as ElementHandle<never> | null;
  await (input as unknown as { uploadFile(path: string): Promise<void> }).uploadFile(path);
};
/** The message id in the latest response. */
const sentId = async () => (JSON.parse(await shownCode('Answer')) as { id: string }).id;
/** Runs a command that the page shows, with the token, in the folder of the files. */
const run = async (command: string) => {
  expect(command).not.toContain(TOKEN);
  const { stdout } = await promisify(execFile)('bash', ['-c', command], {
    cwd: folder,
    env: { ...process.env, TOKEN },
  });
  return stdout === '' ? undefined : (JSON.parse(stdout) as { id: string });
};
const call = async (name: string) => {
  await seen.press('Send the call');
  await seen.untilShown(new RegExp(`${name}: 20[01] in`));
};

it('sends a text, and shows its state', async () => {
  await seen.show('#/try');
  await seen.untilShown('Send a text, media');
  await choose('id of the session', 'main');
  await seen.fill('to', BEN);
  await seen.fill('body', "It's <b>here</b>");
  await seen.expectFit('try-text');
  const command = await shownCode('curl');
  expect(await shownCode('The typed client')).toContain(`client.sendMessage({\n  id: 'main',\n  type: 'text',`);
  await call('sendMessage');
  expect(await stack.onPhone(BEN, await sentId())).toMatchObject({ body: "It's <b>here</b>" });
  await seen.untilShown(/What became of it[\s\S]*delivered/);
  await stack.phones.read(BEN, ADA);
  await seen.untilShown(/delivered[\s\S]*read/);
  await seen.expectFit('try-answer');
  const again = await run(command);
  expect(await stack.onPhone(BEN, again?.id ?? '')).toMatchObject({ body: "It's <b>here</b>" });
});

it('replies to it, reacts to it, edits it and deletes it', async () => {
  const id = await sentId();
  await seen.press('Reply to it');
  await seen.fill('body', 'A reply');
  await call('sendMessage');
  expect(await stack.onPhone(BEN, await sentId())).toMatchObject({ body: 'A reply' });
  const reply = await sentId();
  expect(reply).not.toBe(id);
  await seen.press('Edit it');
  await seen.untilShown('editMessage');
  await seen.fill('body', 'A better reply');
  await call('editMessage');
  await eventually(async () => expect(await stack.onPhone(BEN, reply)).toMatchObject({ body: 'A better reply' }));
  await seen.press('React to it');
  await seen.fill('emoji', '👍');
  await call('sendMessage');
  expect(JSON.parse(await shownCode('Answer'))).toEqual({ id: reply, messageId: reply, emoji: '👍' });
  await seen.show('#/try/deleteMessage');
  await choose('forEveryone', 'true');
  await call('deleteMessage');
  expect(JSON.parse(await shownCode('Answer'))).toEqual({ id: reply, deletedFor: 'everyone' });
});

it('sends an image from a file, and gets it back as a file', async () => {
  await seen.show('#/try/sendMessage');
  await choose('type', 'image');
  await seen.fill('to', BEN);
  await chooseFile(join(folder, 'two by two.png'));
  await seen.fill('caption (optional)', '</script>');
  const command = await shownCode('curl');
  expect(command).toContain("base64 -w 0 'two by two.png'");
  await call('sendMessage');
  const id = await sentId();
  const media = await stack.phones.media(BEN, (await stack.onPhone(BEN, id)).id);
  expect(media).toMatchObject({ size: image.bytes.length });
  const again = await run(command);
  const copy = await stack.phones.media(BEN, (await stack.onPhone(BEN, again?.id ?? '')).id);
  expect(copy).toEqual(media);
  await seen.press('Get its file');
  await seen.untilShown('getMedia');
  await call('getMedia');
  const shown = await seen.page.waitForSelector('.answered-file img');
  await eventually(async () =>
    expect(await shown?.evaluate((img) => (img as unknown as { naturalWidth: number }).naturalWidth)).toBe(2),
  );
  expect(await shown?.evaluate((img) => img.getAttribute('src'))).toMatch(/^blob:/);
});

it('calls every operation that the token allows through its form, and shows errors unchanged', async () => {
  await seen.show('#/try/numberExists');
  await seen.fill('number', BEN);
  await call('numberExists');
  expect(JSON.parse(await shownCode('Answer'))).toEqual({ number: BEN, exists: true });
  await seen.fill('number', '1');
  await seen.press('Send the call');
  await seen.untilShown(/numberExists: 400 in[\s\S]*"code": "invalid_request"/);
  for (const name of ['listChats', 'listGroups', 'listContacts', 'getSessionInfo', 'listSessions', 'getAccess']) {
    await seen.show(`#/try/${name}`);
    await seen.untilShown(new RegExp(`\\n${name}\\n`));
    const command = await shownCode('curl');
    await call(name);
    await run(command);
  }
  await seen.show('#/try/postStatus');
  await seen.press('Write the body as JSON', 'checkbox');
  await seen.fill('The body as JSON', '{');
  await seen.untilShown('the body is not valid JSON');
  await seen.fill('The body as JSON', '{"type": "text", "body": "From JSON"}');
  await call('postStatus');
  const names = await seen.page.$$eval('.operations nav a', (links) => links.map((link) => link.textContent));
  expect(names.toSorted()).toEqual(Object.keys(operations).toSorted());
});

it('asks before irreversible calls', async () => {
  await seen.show('#/try/deleteSession');
  await seen.fill('id of the session', 'nothing');
  await seen.press('Send the call');
  await seen.untilShown('Call deleteSession?');
  await seen.page.locator('dialog .danger').click();
  await seen.untilShown(/deleteSession: 404 in[\s\S]*session_not_found/);
});

it('runs nothing in hostile messages or files', async () => {
  for (const [index, filename] of hostileTexts.entries()) {
    const bytes = `<html><script>harmed('file')</script>${index}`;
    const mimeType = index % 2 === 0 ? 'text/html' : 'image/svg+xml';
    const document = { kind: 'document', base64: btoa(bytes), mimeType, filename } as const;
    await stack.phones.send(BEN, { to: ADA, body: filename, media: document });
  }
  const ids = await eventually(async () => {
    const events = await storedEvents(stack, 'main');
    const found = events.flatMap(({ name, data }) => (name === 'message' ? data.id : []));
    expect(found).toHaveLength(hostileTexts.length);
    return found;
  });
  await seen.show('#/try/getMedia');
  await choose('id of the session', 'main');
  for (const id of ids) {
    await seen.fill('messageId', id);
    await call('getMedia');
    await seen.untilShown(/(text\/html|image\/svg\+xml), \d+ bytes Download /);
    expect(await seen.page.$('.answered-file img')).toBeNull();
    await seen.fill('messageId', 'none');
    await seen.press('Send the call');
    await seen.untilShown('getMedia: 400');
  }
  await seen.show('#/try/listChats');
  await call('listChats');
  await seen.show('#/try/sendMessage');
  await choose('type', 'text');
  await seen.fill('to', BEN);
  for (const body of hostileTexts) {
    await seen.fill('body', body);
    const command = await shownCode('curl');
    const again = await run(command);
    const { body: arrived } = await stack.onPhone(BEN, again?.id ?? '');
    expect(arrived?.trim()).toBe(body.replace(/\r\n?/g, '\n').trim());
  }
  await call('sendMessage');
  await seen.expectFit('try-hostile');
  expect(seen.harm).toEqual([]);
});

it('offers only what a key with scope read may call', async () => {
  const { key } = await stack.client.createKey({ name: 'Reader', sessions: ['main'], scope: 'read' });
  await seen.press('Sign out');
  await seen.signIn(key);
  await seen.show('#/try');
  await seen.untilShown('Try it');
  const names = await seen.page.$$eval('.operations nav a', (links) => links.map((link) => link.textContent));
  const allowed = Object.entries(operations).filter(([, { scope }]) => scope === 'read');
  expect(names.toSorted()).toEqual(allowed.map(([name]) => name).toSorted());
  await seen.show('#/try/sendMessage');
  await seen.untilShown('There is no operation sendMessage that your key allows.');
  expect(seen.harm).toEqual([]);
});

it('returns an archive as a file', async () => {
  await seen.press('Sign out');
  await seen.signIn(TOKEN);
  await seen.show('#/try/exportSession/main');
  await seen.untilShown('Stop a session for good');
  await seen.press('Send the call');
  await seen.page.locator('dialog .danger').click();
  await seen.untilShown(/exportSession: 200 in[\s\S]*application\/x-tar, [\d.]+ [KM]B Download main\.tar/);
  await stack.untilStatus('main', 'moved');
});
