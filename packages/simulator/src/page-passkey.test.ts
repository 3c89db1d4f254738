import { afterEach, describe, expect, it } from 'vitest';
import { createPasskey, type Passkey, type PasskeyRefusal } from '../dist/index.js';
import { poll, Tab } from './testing/tab.ts';

const ada = '12025550101';

let tab: Tab;
afterEach(() => tab[Symbol.asyncDispose]());

const look = async () => (await tab.look())?.passkeyScreen;
const account = () => tab.phones.account(ada);
const press = (testId: string) => tab.page.click(`[data-testid=${testId}]`);
const proceed = () => press('shortcake_passkey_continue_button');

/** Adds an authenticator to the browser; its user is present, and may be verified. */
async function plugIn(credentials: readonly Passkey['credential'][], isUserVerified = true) {
  const devTools = await tab.page.createCDPSession();
  await devTools.send('WebAuthn.enable');
  const { authenticatorId } = await devTools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified,
      automaticPresenceSimulation: true,
    },
  });
  const add = (credential: Passkey['credential']) =>
    devTools.send('WebAuthn.addCredential', { authenticatorId, credential });
  for (const credential of credentials) await add(credential);
  return { add };
}

/** Wraps the page's request for a passkey in a script: `publicKey` are its options, `ask` makes the real request. */
async function tamper(script: string): Promise<void> {
  await tab.run(`const real = navigator.credentials.get.bind(navigator.credentials);
    const copy = ({ id, rawId, type, response: { clientDataJSON, authenticatorData, signature, userHandle } }, changed) =>
      ({ id, rawId, type, response: { clientDataJSON, authenticatorData, signature, userHandle, ...changed } });
    navigator.credentials.get = async ({ publicKey }) => { const ask = () => real({ publicKey }); ${script} };`);
}

/** A page that an account with a passkey has scanned. */
async function scanned(settings = {}, passkey = createPasskey()): Promise<Passkey> {
  tab = await Tab.open({ settings });
  await tab.phones.registerPasskey(ada, passkey.registration);
  await tab.scan(ada);
  await poll(look).toBe('passkey_prompt');
  return passkey;
}

/** The same, in a browser that has the passkey. */
async function pluggedIn(...args: Parameters<typeof scanned>) {
  const { credential } = await scanned(...args);
  await plugIn([credential]);
}

/** The network has refused, the page shows that, and nothing is linked. */
async function expectRefused(refusal: PasskeyRefusal): Promise<void> {
  await tab.page.waitForSelector('[data-testid=shortcake_passkey_prompt_card] [role=alert]:not(:empty)');
  expect(await account()).toMatchObject({ devices: [], passkey: true });
  expect((await account()).passkeyAnswers.at(-1)?.refusal).toBe(refusal);
  expect(await look()).toBe('error');
}

describe('an account with a passkey', () => {
  it("is linked once the browser has signed the network's challenge", async () => {
    const { registration, credential } = await scanned();
    await plugIn([credential]);
    await tamper('window.requested = publicKey; return ask()');
    const pairingType = `return require('WAWebAltDeviceLinkingApi').getPairingType()`;
    expect([await tab.run(pairingType), (await tab.look())?.qr]).toEqual(['SHORTCAKE_PASSKEY', undefined]);
    await proceed();
    await tab.untilSynced();
    const requested = `const { challenge, ...rest } = window.requested; return { bytes: challenge.byteLength, ...rest }`;
    expect(await tab.run(requested)).toEqual({
      bytes: 32,
      timeout: 600_000,
      rpId: 'whatsapp.com',
      allowCredentials: [],
      userVerification: 'required',
      extensions: { uvm: true },
    });
    const { credentialId } = registration;
    expect(await account()).toMatchObject({
      devices: [{ online: true }],
      passkeys: [{ credentialId, signCount: 1 }],
      passkeyAnswers: [{ at: expect.any(String) }],
    });
    expect([await look(), await tab.page.$$('[data-testid=shortcake_passkey_screen]')]).toEqual([undefined, []]);
  });

  it('stays on the screen in a browser without an authenticator, and no response is sent', async () => {
    await scanned();
    await proceed();
    await poll(look).toBe('passkey_pending');
    await tab.phones.settled();
    expect(await look()).toBe('passkey_pending');
    const disabled = '[data-testid=shortcake_passkey_continue_button]:disabled';
    expect(await tab.page.$$(disabled)).toHaveLength(1);
    expect(await account()).toMatchObject({ devices: [], passkeyAnswers: [] });
  });

  it('can try again after the browser had no such passkey, with a new challenge', async () => {
    const { credential } = await scanned();
    const authenticator = await plugIn([{ ...createPasskey().credential, rpId: 'web.whatsapp.com' }]);
    await tamper('(window.challenges ??= []).push(String(new Uint8Array(publicKey.challenge))); return ask()');
    await proceed();
    await poll(look).toBe('error');
    expect((await account()).passkeyAnswers).toEqual([]);
    await authenticator.add(credential);
    await proceed();
    await tab.untilSynced();
    expect(await tab.run(`return new Set(window.challenges).size`)).toBe(2);
  });

  it('can cancel for a new QR', async () => {
    tab = await Tab.open();
    await tab.phones.requirePasskey(ada, true);
    const before = await tab.scan(ada);
    await (await tab.page.waitForSelector('[data-testid=shortcake_cancel_button]'))?.click();
    await poll(async () => ![undefined, before].includes((await tab.look())?.qr)).toBe(true);
    expect(await tab.run(`return require('WAWebAltDeviceLinkingApi').getPairingType()`)).toBe('QR_CODE');
  });
});

describe('a passkey is refused', () => {
  it('with the signature of another key under the same id', async () => {
    const { credential } = await scanned();
    await plugIn([{ ...credential, privateKey: createPasskey().credential.privateKey }]);
    await proceed();
    await expectRefused('signature');
  });

  it('whose count does not increase, as that of a copy', async () => {
    const { credential } = await scanned({}, createPasskey(50));
    await plugIn([{ ...credential, signCount: 49 }]);
    await proceed();
    await expectRefused('counter');
    await proceed();
    await tab.untilSynced();
  });
});

describe('after the passkey', () => {
  it('the page waits for the phone, and its user compares a code', async () => {
    await pluggedIn();
    await tab.phones.handOff(ada, 'held');
    await expect(tab.phones.continueLinking(ada)).rejects.toThrow(`no page waits for the phone of ${ada}`);
    await proceed();
    await poll(look).toBe('waiting_for_phone');
    await tab.page.waitForSelector('[data-testid=shortcake_waiting_continue_button]:disabled');
    const { code } = await tab.phones.continueLinking(ada);
    await poll(look).toBe('code_matching');
    expect((await tab.look())?.verificationCode).toBe(code);
    const display = '[data-testid=shortcake_verification_code_display]';
    const shown = await tab.page.$eval(display, ({ textContent }) => textContent);
    expect(shown).toBe(`${code.slice(0, 4)}-${code.slice(4)}`);
    expect((await account()).devices).toEqual([]);
    await press('shortcake_code_confirm_button');
    await tab.untilSynced();
  });

  it("its owner continues on the phones' page, which shows the code as well", async () => {
    await pluggedIn();
    await tab.phones.handOff(ada, 'held');
    const phone = await tab.page.browserContext().newPage();
    await phone.goto(`${tab.simulator.controlUrl}/#/${ada}/devices`);
    await phone.waitForSelector('::-p-text(It asks for the passkey of this account)');
    // A page in the background draws nothing, and does not refresh.
    await tab.page.bringToFront();
    await proceed();
    await phone.bringToFront();
    const button = await phone.waitForSelector('.card button');
    await button?.click();
    const shown = await phone.waitForSelector('.card strong');
    expect(await shown?.evaluate(({ textContent }) => textContent)).toBe((await tab.look())?.verificationCode);
    await tab.page.bringToFront();
    await press('shortcake_code_confirm_button');
    await phone.bringToFront();
    await phone.waitForSelector('::-p-text(Online, linked since)');
  });

  it('a phone that does not continue in time ends it with an error, and a passkey is needed again', async () => {
    await pluggedIn({ passkeyStepMs: 500 });
    await tab.phones.handOff(ada, 'held');
    await tab.run(`const { WAWebLinkDeviceEvents } = require('WAWebLinkDeviceEvents'); window.errors = [];
      WAWebLinkDeviceEvents.on('link_device_events:shortcake_error', (reason) => window.errors.push(reason))`);
    await proceed();
    await poll(look).toBe('error');
    expect(await tab.run(`return window.errors`)).toEqual(['timeout']);
    expect((await account()).devices).toEqual([]);
    await tab.phones.handOff(ada, 'automatic');
    // As in the real page, it still has the challenge that it has used.
    await proceed();
    await poll(async () => (await account()).passkeyAnswers.map(({ refusal }) => refusal)).toEqual([
      undefined,
      'challenge',
    ]);
    await poll(look).toBe('error');
    await proceed();
    await tab.untilSynced();
  });
});
