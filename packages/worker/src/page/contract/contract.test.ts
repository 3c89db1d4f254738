import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { lossesOf, neededFor } from '../../client/capabilities.ts';
import { components, contract, type Part } from './index.ts';

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

const USED = [
  'sendMessage',
  'editMessage',
  'processMediaData',
  'processStickerData',
  'mediaInfoToFile',
  'getChat',
  'enforceLidAndPnRetrieval',
  'assertColor',
  'getFileHash',
  'generateHash',
];

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
    const dir = new URL('../', import.meta.url);
    const files = readdirSync(dir, { recursive: true, encoding: 'utf8' });
    const scripts = files.filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'));
    const asked = scripts
      .filter((name) => !name.startsWith('contract/'))
      .flatMap((name) => [...readFileSync(new URL(name, dir), 'utf8').matchAll(/\(\s*'(WA\w+)'/g)])
      .map(([, module]) => module ?? '');
    expect(asked.filter((module) => !(module in contract))).toEqual([]);
    expect(asked.length).toBeGreaterThan(30);
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
