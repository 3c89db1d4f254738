import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { lossesOf, neededFor } from '../../client/capabilities.ts';
import { EXPOSED } from '../../client/library.ts';
import { components, contract, type Part } from './index.ts';

const text = (url: URL) => readFileSync(url, 'utf8');
const require = createRequire(import.meta.url);
const library = (path: string) => readFileSync(require.resolve(`whatsapp-web.js/src/${path}`), 'utf8');

/** The source of a function that the library installs in the page. */
function injected(name: string): string {
  const source = library('util/Injected/Utils.js');
  const start = source.indexOf(`window.WWebJS.${name} = `);
  const end = source.indexOf('\n    window.WWebJS.', start + 1);
  if (start < 0) throw new Error(`the library has no ${name}`);
  return source.slice(start, end < 0 ? undefined : end);
}

const modulesIn = (text: string) => [
  ...new Set([...text.matchAll(/require\(\s*'([^']+)'\s*,?\s*\)/g)].map(([, name]) => name ?? '')),
];

/**
 * Modules that these functions only require with options that we never set: channels, lists, buttons, bots and the
 * like.
 */
const NOT_REACHED = [
  'WAWebMsgDataFromModel',
  'WAWebNewsletterUpdateMsgsRecordsJob',
  'WAWebNewsletterSendMessageJob',
  'WAWebLoadNewsletterPreviewChatAction',
  'WAMediaCalculateFilehash',
  'WAWebGenerateEventCallLink',
  'WAWebFrontendVcardUtils',
  'WAWebVcardParsingUtils',
  'WAWebVcardGetNameFromParsed',
  'WAWebBotMessageSecret',
  'WAWebBotProfileCollection',
  'WAWebMediaUpdateMsg',
  'WAWebStatusGatingUtils',
];

/** The program's modules, by path, without tests and the contract. */
const DIR = new URL('../', import.meta.url);
const program = readdirSync(DIR, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts') && !path.startsWith('contract/'))
  .map((path) => ({ path, source: text(new URL(path, DIR)) }));

const usesOf = (source: string) => [...source.matchAll(/window\.WWebJS\.(\w+)/g)].map(([, name]) => name ?? '');
/** Functions of the library that the program calls, and those that they call. */
const USED = [
  ...new Set(program.flatMap(({ source }) => usesOf(source))),
  'processStickerData',
  'getFileHash',
  'generateHash',
];

it('the library is used in one module of the program, and in two of the client', () => {
  const withLibrary = program.filter(({ source }) => /WWebJS/.test(source.replaceAll(/^ *(\*|\/).*$/gm, '')));
  expect(withLibrary.map(({ path }) => path)).toEqual(['tools/library.ts']);
  const client = new URL('../../client/', import.meta.url);
  const importers = readdirSync(client, { encoding: 'utf8' }).filter(
    (path) => /^[\w-]+\.ts$/.test(path) && / from 'whatsapp-web\.js/.test(text(new URL(path, client))),
  );
  expect(importers).toEqual(['launch-options.ts', 'library.ts']);
});

it("the functions that the client replaces are in the library's source", () => {
  const source = library('Client.js');
  for (const name of Object.values(EXPOSED)) expect(source).toContain(`'${name}'`);
  for (const name of ['initialize', 'inject', 'attachEventListeners']) expect(source).toContain(`async ${name}()`);
});

describe('the contract with the page', () => {
  it.each(USED)('has every module that the library requires in %s', (name) => {
    const unknown = modulesIn(injected(name)).filter(
      (module) => !(module in contract) && !NOT_REACHED.includes(module),
    );
    expect(unknown).toEqual([]);
  });

  it("has every module that the library's start requires", () => {
    const client = library('Client.js');
    const start = client.slice(client.indexOf('async inject()'), client.indexOf('async requestPairingCode('));
    const modules = modulesIn(start + library('util/Injected/AuthStore/AuthStore.js'));
    expect(modules.filter((module) => !(module in contract))).toEqual([]);
    expect(modules.length).toBeGreaterThan(8);
  });

  it('has every module that our program requires, even if the compiler cannot check it', () => {
    const asked = program.flatMap(({ source }) =>
      [...source.matchAll(/\(\s*'(WA\w+)'/g)].map(([, name]) => name ?? ''),
    );
    expect(asked.filter((module) => !(module in contract))).toEqual([]);
    expect(asked.length).toBeGreaterThan(30);
  });

  it('has no name that occurs neither in the program nor in the library', () => {
    const names = ['util/Injected/Utils.js', 'util/Injected/AuthStore/AuthStore.js', 'Client.js'];
    const used = [...program.map(({ source }) => source), ...names.map(library)].join('\n');
    const unused = Object.entries(contract).flatMap(([module, paths]) =>
      [module, ...Object.keys(paths).flatMap((path) => path.split(/[.[\]]+/))].filter(
        (name) => name !== '' && !new RegExp(`\\b${name}\\b`).test(used),
      ),
    );
    expect(unused).toEqual([]);
  });

  it('has every module that is loaded on demand', () => {
    for (const module of Object.keys(components)) expect(module in contract, module).toBe(true);
  });
});

describe('missing parts of a page', () => {
  it('are reported as the capabilities that need them', () => {
    expect([...lossesOf(['WAWebSendReactionMsgAction'])]).toEqual([
      ['sendMessage.reaction', ['WAWebSendReactionMsgAction']],
    ]);
    expect([...lossesOf(['WAWebMsgActionCapability.canEditText'])]).toEqual([
      ['editMessage', ['WAWebMsgActionCapability.canEditText']],
    ]);
    expect([...lossesOf(['WAWebSyncGatingUtils.isPlaceholderMessageResendEnabled', 'WALinkify'])]).toEqual([]);
  });

  it('have no effect if an alternative is present', () => {
    expect([...lossesOf(['WAWebLidMigrationUtils'])]).toEqual([]);
    const both = lossesOf(['WAWebLidMigrationUtils', 'WAWebApiContact.getPhoneNumber']);
    expect([...both.keys()]).toEqual(['phoneNumbers']);
  });

  it('may be fields of its models', () => {
    expect([...lossesOf(['WAWebCollections.Msg[].downloadMedia'])]).toEqual([
      ['getMedia', ['WAWebCollections.Msg[].downloadMedia']],
    ]);
  });

  it('affect the operations that need them, depending on the input', () => {
    expect(neededFor('sendMessage', { type: 'text', to: '1@c.us' })).toEqual(['sendMessage.text']);
    expect(neededFor('sendMessage', { type: 'image', to: '1@c.us', quotedMessageId: 'x' })).toEqual([
      'sendMessage.media',
      'sendMessage.reply',
    ]);
    expect(neededFor('sendMessage', { type: 'image', to: 'status@broadcast' })).toEqual(['postStatus.media']);
    expect(neededFor('postStatus', { type: 'text' })).toEqual(['postStatus.text']);
    expect(neededFor('deleteMessage', { messageId: 'true_status@broadcast_3EB0' })).toEqual(['deleteMessage.status']);
    expect(neededFor('sendMessage', { type: 'poll', to: '1@c.us' })).toEqual(['sendMessage.poll']);
    expect(neededFor('listChats', {})).toEqual(['listChats']);
  });
});

it('a part that may be absent has no capability that needs it', () => {
  const parts = Object.entries(contract).flatMap(([module, paths]) =>
    Object.entries<Part>(paths).map(([path, part]) => ({ name: `${module}.${path}`, ...part })),
  );
  const unchecked = parts.filter((part) => part.is === 'any' && part.without.length > 0).map(({ name }) => name);
  // A constant that may be of any type.
  expect(unchecked).toEqual(['WAWebCompanionRegClientUtils.DEVICE_PLATFORM']);
});
