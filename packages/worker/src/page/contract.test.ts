import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { lossesOf, neededFor } from '../client/capabilities.ts';
import { components, contract, type Part } from './contract.ts';

const require = createRequire(import.meta.url);
const library = (path: string) => readFileSync(require.resolve(`whatsapp-web.js/src/${path}`), 'utf8');
const parts = (module: string): [string, Part][] => Object.entries(contract[module as keyof typeof contract]);

/** The text of a function of the library's that it leaves in the page. */
function injected(name: string): string {
  const source = library('util/Injected/Utils.js');
  const start = source.indexOf(`window.WWebJS.${name} = `);
  const end = source.indexOf('\n    window.WWebJS.', start + 1);
  if (start < 0) throw new Error(`the library has no ${name}`);
  return source.slice(start, end < 0 ? undefined : end);
}

/** The modules that a text asks the page for. */
const modulesIn = (text: string) => [
  ...new Set([...text.matchAll(/require\(\s*'([^']+)'\s*,?\s*\)/g)].map(([, name]) => name ?? '')),
];

/** What these functions would ask for with options that we never give: channels, lists, buttons, bots and the like. */
const NOT_REACHED = [
  ...['WAWebMsgDataFromModel', 'WAWebNewsletterUpdateMsgsRecordsJob', 'WAWebNewsletterSendMessageJob'],
  ...['WAWebLoadNewsletterPreviewChatAction', 'WAMediaCalculateFilehash', 'WAWebGenerateEventCallLink'],
  ...['WAWebFrontendVcardUtils', 'WAWebVcardParsingUtils', 'WAWebVcardGetNameFromParsed', 'WAWebBotMessageSecret'],
  ...['WAWebBotProfileCollection', 'WAWebMediaUpdateMsg', 'WAWebStatusGatingUtils'],
];

const USED = [
  ...['sendMessage', 'editMessage', 'processMediaData', 'processStickerData', 'mediaInfoToFile', 'getChat'],
  ...['enforceLidAndPnRetrieval', 'getAddParticipantsRpcResult', 'assertColor', 'getFileHash', 'generateHash'],
];

describe('the contract with the page', () => {
  it.each(USED)('holds every module that the library asks for in %s', (name) => {
    const unknown = modulesIn(injected(name)).filter(
      (module) => !(module in contract) && !NOT_REACHED.includes(module),
    );
    expect(unknown).toEqual([]);
  });

  it("holds every module that the library's start asks for", () => {
    const client = library('Client.js');
    const start = client.slice(client.indexOf('async inject()'), client.indexOf('async requestPairingCode('));
    const modules = modulesIn(start + library('util/Injected/AuthStore/AuthStore.js'));
    expect(modules.filter((module) => !(module in contract))).toEqual([]);
    expect(modules.length).toBeGreaterThan(8);
  });

  it('holds every module that our own scripts ask for, also those that the compiler cannot see', () => {
    const dir = new URL('./', import.meta.url);
    const files = readdirSync(dir, { recursive: true, encoding: 'utf8' });
    const scripts = files.filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'));
    const asked = scripts
      .filter((name) => name !== 'contract.ts')
      .flatMap((name) => [...readFileSync(new URL(name, dir), 'utf8').matchAll(/\(\s*'(WA\w+)'/g)])
      .map(([, module]) => module ?? '');
    expect(asked.filter((module) => !(module in contract))).toEqual([]);
    expect(asked.length).toBeGreaterThan(30);
  });

  it('says of each part what it is for', () => {
    for (const module of Object.keys(contract))
      for (const [path, { form }] of parts(module)) expect(form.length, `${module}.${path}`).toBeGreaterThan(4);
    for (const module of Object.keys(components)) expect(module in contract, module).toBe(true);
  });
});

describe('what a page lacks', () => {
  it('is told by what goes without it', () => {
    expect([...lossesOf(['WAWebSendReactionMsgAction'])]).toEqual([
      ['sendMessage.reaction', ['WAWebSendReactionMsgAction']],
    ]);
    expect([...lossesOf(['WAWebMsgActionCapability.canEditText'])]).toEqual([
      ['editMessage', ['WAWebMsgActionCapability.canEditText']],
    ]);
    expect([...lossesOf(['WAWebSyncGatingUtils.isPlaceholderMessageResendEnabled', 'WALinkify'])]).toEqual([]);
  });

  it('is nothing where another part does the same', () => {
    expect([...lossesOf(['WAWebLidMigrationUtils'])]).toEqual([]);
    const both = lossesOf(['WAWebLidMigrationUtils', 'WAWebApiContact.getPhoneNumber']);
    expect([...both.keys()]).toEqual(['phoneNumbers']);
  });

  it('may be a field of its models', () => {
    expect([...lossesOf(['WAWebCollections.Msg[].downloadMedia'])]).toEqual([
      ['getMedia', ['WAWebCollections.Msg[].downloadMedia']],
    ]);
  });

  it('concerns the operations that need it, by what is asked of them', () => {
    expect(neededFor('sendMessage', { type: 'text', to: '1@c.us' })).toEqual(['sendMessage.text']);
    expect(neededFor('sendMessage', { type: 'image', to: '1@c.us', quotedMessageId: 'x' })).toEqual([
      'sendMessage.media',
      'sendMessage.reply',
    ]);
    expect(neededFor('sendMessage', { type: 'image', to: 'status@broadcast' })).toEqual(['postStatus.media']);
    expect(neededFor('postStatus', { type: 'text' })).toEqual(['postStatus.text']);
    expect(neededFor('deleteMessage', { messageId: 'true_status@broadcast_3EB0' })).toEqual(['deleteMessage.status']);
    expect(neededFor('listChats', {})).toEqual(['listChats']);
  });
});

it('names nothing that goes without a part that may be absent', () => {
  const parts = Object.entries(contract).flatMap(([module, paths]) =>
    Object.entries<Part>(paths).map(([path, part]) => ({ name: `${module}.${path}`, ...part })),
  );
  const toothless = parts.filter((part) => part.is === 'any' && part.without.length > 0).map(({ name }) => name);
  // A constant that may be of any type.
  expect(toothless).toEqual(['WAWebCompanionRegClientUtils.DEVICE_PLATFORM']);
});
