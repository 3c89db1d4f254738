import { afterEach, describe, expect, it } from 'vitest';
import { poll, Tab } from './testing/tab.ts';

const [ada, ben] = ['12025550101', '12025550102'] as const;
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

let tab: Tab;
afterEach(() => tab[Symbol.asyncDispose]());

/** The steps of the library's own send for a file that matter here. */
const sendImage = `
  const OpaqueData = require('WAWebMediaOpaqueData');
  const file = new File([Uint8Array.from(atob(a[1]), (c) => c.charCodeAt(0))], 'dot.png', { type: 'image/png' });
  const data = await OpaqueData.createFromData(file, 'image/png');
  const media = await require('WAWebPrepRawMedia').prepRawMedia(data, {}).waitForPrep();
  const uploaded = await require('WAWebUploadManager').encryptAndUpload({ blob: file, type: 'image' });
  media.set({ ...uploaded });
  const wid = require('WAWebWidFactory').createWid(a[0]);
  const { chat } = await require('WAWebFindChatAction').findOrCreateLatestChat(wid);
  const me = require('WAWebUserPrefsMeUser').getMaybeMePnUser();
  const MsgKey = require('WAWebMsgKey');
  const id = new MsgKey({ from: me, to: wid, id: await MsgKey.newId(), selfDir: 'out' });
  const values = { id, ack: 0, from: me, to: wid, local: true, self: 'out', t: Math.floor(Date.now() / 1000), isNewMsg: true, type: 'chat',
    ...media, ...media.toJSON() };
`;

it('an older build has ids, downloads, media and status actions as they were', async () => {
  tab = await Tab.linked(ada, { build: '2026-01' });
  expect(await tab.run(`return [window.Debug.VERSION, require('WAWebBuildConstants').VERSION_STR]`)).toEqual([
    '2.3000.1031000000',
    '2.3000.1031000000',
  ]);
  const sent = await tab.run(
    `${sendImage}
    const [msg, result] = require('WAWebSendMsgChatAction').addAndSendMsgToChat(chat, values);
    return [(await msg).id._serialized.startsWith('true_'), (await result).messageSendResult]`,
    `${ben}@c.us`,
    png,
  );
  expect(sent).toEqual([true, 'OK']);
  expect(await tab.fail(`require('Nothing')`)).toMatchObject({ name: 'ModuleError', messageParams: ['Nothing'] });
});

it('message keys have no `_serialized`, and the database refuses the undefined value in its place', async () => {
  tab = await Tab.linked(ada);
  await tab.phones.send(ben, { to: ada, body: 'hello' });
  const key = `const { Chat, Msg } = require('WAWebCollections');
    const chat = Chat.getModelsArray().find((each) => each.lastReceivedKey);`;
  await poll(() => tab.run(`${key} return typeof chat`)).toBe('object');
  const ids = `${key} return [typeof chat.lastReceivedKey._serialized, typeof chat.lastReceivedKey.$1, typeof chat.id._serialized]`;
  expect(await tab.run(ids)).toEqual(['undefined', 'string', 'string']);
  expect(await tab.fail(`${key} await Msg.getMessagesById([chat.lastReceivedKey._serialized])`)).toMatchObject({
    name: 'DataError',
    message: expect.stringContaining('No key or key range specified'),
  });
});

describe('media', () => {
  it('have their own id, which overwrites the id of a message they are spread into', async () => {
    tab = await Tab.linked(ada, { settings: { lazyModules: false } });
    const send = `${sendImage}
      const [msg, result] = require('WAWebSendMsgChatAction').addAndSendMsgToChat(chat, values);
      const ends = await Promise.allSettled([msg, result]);
      return ends.map((end) => end.reason?.message ?? end.status);`;
    const getter = expect.stringContaining('Data passed to getter must include an id property');
    expect(await tab.run(send, `${ben}@c.us`, png)).toEqual([getter, getter]);
    expect(await tab.phones.messages(ben)).toEqual([]);
    const without = send.replace('const [msg', 'delete values.__x_id; const [msg');
    expect(await tab.run(without, `${ben}@c.us`, png)).toEqual(['fulfilled', 'fulfilled']);
    await poll(() => tab.phones.messages(ben)).toMatchObject([{ type: 'image' }]);
    // The data of a text contains no media model.
    const text = send.replace('...media, ...media.toJSON()', "body: 'hello'");
    expect(await tab.run(text, `${ben}@c.us`, png)).toEqual(['fulfilled', 'fulfilled']);
  });

  it.each([
    ['2026-04', 'ArrayBuffer'],
    ['2026-07', 'Uint8Array'],
    ['2026-10', 'Blob'],
  ] as const)('are downloaded in build %s as %s', async (build, form) => {
    tab = await Tab.linked(ada, { build });
    await tab.phones.send(ben, { to: ada, media: { kind: 'image', base64: png, mimeType: 'image/png' } });
    const find = `const [msg] = require('WAWebMsgCollection').MsgCollection.filter((each) => each.directPath);`;
    await poll(() => tab.run(`${find} return msg?.type`)).toBe('image');
    const download = `${find} const qpl = { addAnnotations: () => qpl, addPoint: () => qpl };
      const type = require('WAWebMmsMediaTypes').getMsgMediaType(msg);
      const file = await require('WAWebDownloadManager').downloadManager.downloadAndMaybeDecrypt({
        directPath: msg.directPath, type, downloadQpl: qpl, ...a[0] });
      return [Object.prototype.toString.call(file).slice(8, -1), file.size ?? file.byteLength];`;
    expect(await tab.run(download, { mimetype: 'image/png' })).toEqual([form, 70]);
    const bare = tab.fail(download, {});
    if (build === '2026-04') expect(await bare).toEqual({ did: 'not fail' });
    else expect(await bare).toMatchObject({ name: 'InvalidMediaFileType', mimeType: 'application/octet-stream' });
  });
});

describe('a status', () => {
  const text = `return require('WAWebSendStatusMsgAction').sendStatusTextMsgAction(
    { color: 0xff112233, font: 1, text: 'at sea' }).then(({ messageSendResult, msg }) =>
    [messageSendResult, String(msg.id)])`;

  it('of text responds with its message, under the hidden number', async () => {
    tab = await Tab.linked(ada, { build: '2026-04' });
    const { lid } = await tab.phones.account(ada);
    const [result, id] = await tab.run<[string, string]>(text);
    expect(result).toBe('OK');
    expect(id).toMatch(new RegExp(`^true_status@broadcast_3EB0\\w+_${lid}$`));
    const feed = `require('WAWebStatusCollection').StatusCollection.getMyStatus().msgs.getModelsArray()`;
    expect(await tab.run(`return ${feed}.map((msg) => String(msg.id))`)).toEqual([id]);
    await poll(() => tab.phones.statuses(ben)).toMatchObject([{ body: 'at sea', font: 1 }]);
    // Acks, and the post as a reloaded page gets it, also use that id.
    await poll(() => tab.run(`return ${feed}[0].ack`)).toBe(2);
    await tab.page.reload();
    await tab.untilSynced();
    expect(await tab.run(`return !!require('WAWebMsgCollection').MsgCollection.get(a[0])`, id)).toBe(true);
  });

  it('of media takes one object, and returns a refusal', async () => {
    tab = await Tab.linked(ada, { build: '2026-04' });
    const made = `${sendImage}
      const feed = require('WAWebWidFactory').createWid('status@broadcast');
      const key = new MsgKey({ fromMe: true, remote: feed, id: await MsgKey.newId(), participant: me });
      const status = { ...values, id: key, to: feed };
      const { Msg } = require('WAWebCollections');
      const post = require('WAWebSendStatusMsgAction').sendStatusMediaMsgAction;`;
    expect(
      await tab.fail(`${made} await post(new Msg.modelClass(status), () => {})`, `${ben}@c.us`, png),
    ).toMatchObject({
      name: 'TypeError',
      message: "Cannot read properties of undefined (reading 'id')",
    });
    const refuse = `${made} return post({ mediaMsgData: status, beforeSend: () => { throw new Error('no') } })`;
    expect(await tab.run(refuse, `${ben}@c.us`, png)).toEqual({ messageSendResult: 'ERROR_UPLOAD' });
    const send = `${made} const { messageSendResult, msg } = await post({ mediaMsgData: status, beforeSend: async () => {} });
      return [messageSendResult, String(msg.author), String(msg.from)]`;
    const { lid } = await tab.phones.account(ada);
    expect(await tab.run(send, `${ben}@c.us`, png)).toEqual(['OK', lid, lid]);
    await poll(() => tab.phones.statuses(ben)).toMatchObject([{ type: 'image' }]);
  });
});

describe('the dialog for a new device', () => {
  const dialogs = () => tab.page.$$eval('[role=dialog]', (all) => all.map(({ textContent }) => textContent));
  const answered = async () => {
    await poll(dialogs).toEqual([]);
    await tab.page.reload();
    await tab.untilSynced();
    expect(await dialogs()).toEqual([]);
  };

  it.each([
    ['Continue', () => tab.page.click('[data-testid=whats_new_continue_button]')],
    ['Close', () => tab.page.click('[role=dialog] [aria-label=Close]')],
    ['Escape', () => tab.page.keyboard.press('Escape')],
  ])('is closed by %s, and opens at every load until then', async (_name, answer) => {
    tab = await Tab.linked(ada);
    await poll(dialogs).toEqual([expect.stringContaining('ic-close')]);
    await tab.page.reload();
    await poll(dialogs).toHaveLength(1);
    await answer();
    await answered();
  });

  it('has one button and opens after the sync in an older build', async () => {
    tab = await Tab.open({ build: '2026-01', settings: { syncDelayMs: 1500 } });
    await tab.pair(ada);
    expect(await dialogs()).toEqual([]);
    await tab.untilSynced();
    await poll(dialogs).toEqual(["What's new on WhatsApp WebContinue"]);
    await tab.page.click('[role=dialog] button');
    await answered();
  });

  it('opens before the sync in a newer build', async () => {
    tab = await Tab.open({ build: '2026-09', settings: { syncDelayMs: 60_000 } });
    await tab.pair(ada);
    expect(await dialogs()).toHaveLength(1);
    expect(await tab.look()).toMatchObject({ hasSynced: false });
  });
});

it('a module that is missing cannot be required, and the page keeps working', async () => {
  tab = await Tab.linked(ada, {
    settings: { missingModules: ['WAWebCollections.Msg', 'WAWebSocketModel', 'WAWebMsgKey.newId'] },
  });
  const there = `return [typeof require('WAWebSocketModel'), 'Msg' in require('WAWebCollections'),
    typeof require('WAWebMsgKey').newId, typeof require('WAWebCmd').Cmd.refreshQR]`;
  expect(await tab.run(there)).toEqual(['undefined', false, 'undefined', 'undefined']);
  await tab.phones.send(ben, { to: ada, body: 'hello' });
  const bodies = `return require('WAWebCollections').Chat.getModelsArray().flatMap(({ msgs }) => msgs.map((msg) => msg.body))`;
  await poll(() => tab.run(bodies)).toContain('hello');
  await tab.run('window.ErrorGuard.skipGuardGlobal(true)');
  expect(await tab.fail(`require('WAWebSocketModel')`)).toMatchObject({ name: 'ModuleError' });
});

it('a document that was saved keeps the behaviour of its build', async () => {
  tab = await Tab.open({ build: '2026-04' });
  const saved = await (await tab.page.goto('https://web.whatsapp.com/'))?.text();
  await tab.phones.configure({ build: '2026-10' });
  await tab.page.reload();
  await poll(() => tab.run('return window.Debug?.VERSION')).toBe('2.3000.1049200000');
  const session = await tab.page.createCDPSession();
  await session.send('Fetch.enable', { patterns: [{ urlPattern: 'https://web.whatsapp.com/' }] });
  session.on('Fetch.requestPaused', ({ requestId }) => {
    const body = Buffer.from(saved ?? '').toString('base64');
    const responseHeaders = [{ name: 'content-type', value: 'text/html' }];
    void session.send('Fetch.fulfillRequest', { requestId, responseCode: 200, responseHeaders, body });
  });
  await tab.page.reload();
  await poll(() => tab.run('return window.Debug?.VERSION')).toBe('2.3000.1037900000');
  await tab.link(ada);
  expect(await tab.run(`return require('WAWebConnModel').Conn.wid._serialized`)).toBe(`${ada}@c.us`);
});
