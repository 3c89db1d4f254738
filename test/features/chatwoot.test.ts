import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  ADA,
  BEN,
  CARLA,
  DEV,
  EDITH,
  Example,
  eventually,
  FARID,
  freePort,
  media,
  Relay,
  sha256,
  temporaryFolder,
} from '@chat-web/testing';
import { sharedStack } from '@chat-web/testing/story';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MockChatwoot } from './mock-chatwoot.ts';

const TOKEN = 'a-token-that-the-bridge-is-given';
const BEN_THERE = { phone_number: `+${BEN}` };
/** Of each direction. */
const TEXTS = 500;
const KILLS = 10;
const [image, , audio] = media;
const PICTURE = {
  kind: 'image',
  base64: Buffer.from(image.bytes).toString('base64'),
  mimeType: image.mimeType,
} as const;

describe('the bridge to Chatwoot', () => {
  const stack = sharedStack({ settings: { CHAT_WEB_TOKEN: TOKEN } });
  const chatwoot = new MockChatwoot();
  const folder = temporaryFolder();
  /** Between the bridge and the gateway. */
  let relay: Relay;
  let bridge: Example;
  let gatewayPort: string;
  let bridgePort: number;
  /** At first, only webhooks report replies. */
  let sweepSeconds = '3600';

  const env = () => ({
    GATEWAY_URL: relay.url,
    GATEWAY_TOKEN: TOKEN,
    CHATWOOT_URL: chatwoot.url,
    CHATWOOT_ACCOUNT: '7',
    CHATWOOT_TOKEN: chatwoot.token,
    WEBHOOK_URL: `http://127.0.0.1:${bridgePort}`,
    BRIDGE_PORT: String(bridgePort),
    BRIDGE_FOLDER: join(folder.path, 'bridge'),
    SESSIONS: 'main',
    SWEEP_SECONDS: sweepSeconds,
  });
  const start = async () => {
    bridge = new Example([process.execPath, 'chatwoot/bridge.mjs'], env());
    await bridge.line(/^connected main/);
  };
  const onPhone = async (number: string) =>
    (await stack.phones.messages(number)).filter(({ from }) => from === `${ADA}@c.us`).map(({ body }) => body);
  const inChatwoot = (contact: object) => chatwoot.of(contact).map(({ content }) => content);
  const untilArrived = (contact: object, content: string | RegExp) =>
    eventually(() => expect(inChatwoot(contact)).toContainEqual(expect.stringMatching(content)));
  const inboxId = () => chatwoot.inboxes[0]?.id ?? 0;
  const untilSent = (number: string, body: string) =>
    eventually(async () => expect(await onPhone(number)).toContain(body));

  beforeAll(async () => {
    await chatwoot.start();
    bridgePort = await freePort();
    gatewayPort = new URL(stack.gateway.url).port;
    relay = await Relay.start(Number(gatewayPort));
    await stack.linkLongAgo('main', ADA);
    await start();
  });
  afterAll(async () => {
    await bridge?.[Symbol.asyncDispose]();
    await chatwoot[Symbol.asyncDispose]();
    relay?.close();
    folder[Symbol.dispose]();
  });

  it('has an inbox for the session, and brings texts both ways', async () => {
    expect(chatwoot.inboxes.map(({ name }) => name)).toEqual(['WhatsApp main']);
    await stack.phones.send(BEN, { to: ADA, body: 'Is it open today?' });
    await untilArrived(BEN_THERE, 'Is it open today?');
    expect(chatwoot.contacts).toMatchObject([{ name: 'Ben Okafor', ...BEN_THERE }]);
    expect(chatwoot.of(BEN_THERE)).toMatchObject([{ message_type: 0, private: false }]);
    await chatwoot.reply(BEN_THERE, 'Until six.');
    await untilSent(BEN, 'Until six.');
  });

  it('does not send notes, and finds a reply that no webhook reports', async () => {
    await chatwoot.reply(BEN_THERE, 'He was here before.', { isPrivate: true, webhook: false });
    await chatwoot.reply(BEN_THERE, 'On Sundays, too.', { webhook: false });
    await bridge.kill();
    sweepSeconds = '1';
    await start();
    await untilSent(BEN, 'On Sundays, too.');
    expect(await onPhone(BEN)).toEqual(['Until six.', 'On Sundays, too.']);
  });

  it('brings files both ways, the text as their caption', async () => {
    await stack.phones.send(BEN, {
      to: ADA,
      body: 'my order',
      media: PICTURE,
    });
    await untilArrived(BEN_THERE, 'my order');
    const [attachment] = chatwoot.of(BEN_THERE).at(-1)?.attachments ?? [];
    expect(attachment).toMatchObject({ file_type: 'image' });
    expect(attachment && sha256(await chatwoot.bytesOf(attachment))).toBe(sha256(image.bytes));

    const file = new File([Buffer.from('%PDF-1.4 an invoice')], 'your invoice.pdf', { type: 'application/pdf' });
    await chatwoot.reply(BEN_THERE, 'Here you are.', { file });
    await untilSent(BEN, 'Here you are.');
    const received = (await stack.phones.messages(BEN)).find(({ body }) => body === 'Here you are.');
    expect(received).toMatchObject({ type: 'document', filename: 'your invoice.pdf', mimeType: 'application/pdf' });
  });

  it('says so where Chatwoot does not accept a file', async () => {
    chatwoot.maxFileBytes = 10;
    await stack.phones.send(BEN, { to: ADA, body: 'too big', media: PICTURE });
    await untilArrived(BEN_THERE, /^too big\n\[image: Chatwoot: 422 for POST /);
    chatwoot.maxFileBytes = Number.POSITIVE_INFINITY;
  });

  it('shows what was written on the phone, and does not send it again', async () => {
    await stack.phones.send(ADA, { to: BEN, body: 'Sent on the way.' });
    await untilArrived(BEN_THERE, 'Sent on the way.');
    expect(chatwoot.of(BEN_THERE).at(-1)).toMatchObject({ message_type: 1 });
    await chatwoot.reply(BEN_THERE, 'And from the desk.');
    await untilSent(BEN, 'And from the desk.');
    await stack.phones.send(BEN, { to: ADA, body: 'Thanks for both.' });
    await untilArrived(BEN_THERE, 'Thanks for both.');
    expect((await onPhone(BEN)).filter((body) => body === 'Sent on the way.')).toHaveLength(1);
    expect(inChatwoot(BEN_THERE).filter((content) => content === 'And from the desk.')).toHaveLength(1);
  });

  it('has one contact for the number and the hidden id of a person', async () => {
    const harry = { number: '12025550188', name: 'Hidden Harry', lid: '81604523377188' };
    const shy = { number: '12025550189', name: 'Shy Shirley', lid: '81604523377189', addressing: 'lid' } as const;
    await stack.phones.addAccount({ ...harry, hiddenNumber: true });
    await stack.phones.addAccount(shy);
    // Her number was not disclosed when she wrote first.
    chatwoot.contacts.push({ id: 1, name: 'Shirley', identifier: `${shy.lid}@lid` });
    for (const { number, name } of [harry, shy]) {
      await stack.phones.send(number, { to: ADA, body: `from ${name}` });
      await untilArrived(name === shy.name ? { id: 1 } : { name }, `from ${name}`);
      await chatwoot.reply(name === shy.name ? { id: 1 } : { name }, `to ${name}`);
      await untilSent(number, `to ${name}`);
    }
    const ofHarry = chatwoot.contacts.filter(({ name }) => name === harry.name);
    expect(ofHarry).toEqual([{ id: expect.any(Number), name: harry.name, identifier: `${harry.lid}@lid` }]);
    const ofShirley = chatwoot.contacts.filter(({ name }) => name?.includes('Shirley'));
    expect(ofShirley).toEqual([
      { id: 1, name: 'Shirley', identifier: `${shy.lid}@lid`, phone_number: `+${shy.number}` },
    ]);
  });

  it('has one conversation for a group, with the names of its members', async () => {
    const { id } = await stack.createGroup(BEN, { subject: 'Regulars', participants: [ADA, CARLA] });
    await stack.phones.send(CARLA, { to: id, body: 'Tonight?' });
    const group = { identifier: id };
    await eventually(() => expect(inChatwoot(group).join()).toMatch(/^\*\*Carla .*\*\*\nTonight\?$/));
    expect(chatwoot.contacts.find(({ identifier }) => identifier === id)).toMatchObject({ name: 'Regulars' });
    await chatwoot.reply(group, 'At eight.');
    await untilSent(CARLA, 'At eight.');
  });

  it('waits while Chatwoot refuses messages because there are too many', async () => {
    chatwoot.messagesToRefuse = 4;
    await stack.phones.send(BEN, { to: ADA, body: 'one of many' });
    await untilArrived(BEN_THERE, /^one of many$/);
    expect(chatwoot.messagesToRefuse).toBe(0);
  });

  it('sends a text beside a recording', async () => {
    const file = new File([audio.bytes], 'answer.mp3', { type: audio.mimeType });
    await chatwoot.reply(BEN_THERE, 'Please listen:', { file });
    await eventually(async () => {
      const received = (await stack.phones.messages(BEN)).slice(-2);
      expect(received).toMatchObject([{ type: 'text', body: 'Please listen:' }, { type: 'audio' }]);
    });
  });

  it('does not write to the identifiers of other systems', async () => {
    const customer = { name: 'A customer', identifier: CARLA };
    await chatwoot.begin(inboxId(), customer, 'To whom?');
    await eventually(() => expect(inChatwoot(customer)[1]).toMatch(/^Not sent: .*\bto\b/));
    expect(await onPhone(CARLA)).not.toContain('To whom?');
  });

  it('notes in the conversation what cannot be sent, and goes on', async () => {
    const nobody = { name: 'A wrong number', phone_number: '+12025559998' };
    await chatwoot.begin(inboxId(), nobody, 'Hello?');
    await eventually(() => expect(inChatwoot(nobody)[1]).toMatch(/^Not sent: .*not registered/));
    expect(chatwoot.of(nobody)[1]).toMatchObject({ private: true });
    await chatwoot.begin(inboxId(), { name: 'Carla', phone_number: `+${CARLA}` }, 'Your table is free.');
    await untilSent(CARLA, 'Your table is free.');
  });

  it('ignores requests of others at its port', async () => {
    for (const body of [
      '',
      '{',
      '{"conversation": {"id": "../x"}}',
      JSON.stringify({ inbox: { id: 1 }, conversation: { id: 99 } }),
    ]) {
      const response = await fetch(env().WEBHOOK_URL, { method: 'POST', body });
      expect(response.status).toBe(200);
    }
    const { port } = new URL(env().WEBHOOK_URL);
    const broken = connect(Number(port), '127.0.0.1', () =>
      broken.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{'),
    );
    await delay(100); // The bridge waits for the rest by then.
    broken.destroy();
    const large = fetch(env().WEBHOOK_URL, { method: 'POST', body: 'x'.repeat(2_000_000) });
    await expect(large).rejects.toThrow();
    await chatwoot.reply(BEN_THERE, 'still there');
    await untilSent(BEN, 'still there');
  });

  it(`loses and doubles none of ${2 * TEXTS} texts, although each side is killed, ${KILLS} times in all`, async () => {
    const people = [BEN, CARLA, DEV, EDITH, FARID];
    const each = TEXTS / people.length;
    const sent = async (number: string) => (await onPhone(number)).filter((body) => body.startsWith('an answer '));
    let written = 0;
    const writing = (async () => {
      for (let index = 1; index <= each; index++) {
        for (const number of people) {
          await stack.phones.send(number, { to: ADA, body: `a question ${index}` });
          if (index === 1) await untilArrived({ phone_number: `+${number}` }, 'a question 1');
          await chatwoot.reply({ phone_number: `+${number}` }, `an answer ${index}`);
          written++;
        }
      }
    })();
    const restartBridge = async () => {
      await bridge.kill();
      await start();
    };
    const kills = [
      // Chatwoot has the message, and the bridge does not know.
      async () => {
        chatwoot.responsesToHold = 1;
        await eventually(() => expect(chatwoot.responsesToHold).toBe(0));
        await restartBridge();
      },
      // The reply is on the phone, and the bridge does not know.
      async () => {
        relay.hold();
        await delay(300); // Replies follow one another: one of them has arrived by now.
        await bridge.kill();
        relay.release();
        await start();
      },
      async () => {
        chatwoot.responsesToCut = 3;
        await eventually(() => expect(chatwoot.responsesToCut).toBe(0));
        await chatwoot.kill();
        await delay(500); // Requests fail meanwhile.
        await chatwoot.start();
      },
      async () => {
        await stack.gateway.end('SIGKILL');
        await stack.restartGateway({ CHAT_WEB_PORT: gatewayPort });
      },
      restartBridge,
    ];
    for (let kill = 0; kill < KILLS; kill++) {
      await eventually(() => expect(written).toBeGreaterThanOrEqual((kill * TEXTS) / KILLS), 300_000);
      await kills[kill % kills.length]?.();
    }
    await writing;
    const texts = (name: string) => Array.from({ length: each }, (_, index) => `${name} ${index + 1}`);
    const of = (number: string) => ({ phone_number: `+${number}` });
    const inConversation = (number: string, start: string) =>
      inChatwoot(of(number)).filter((content) => content.startsWith(start));
    for (const number of people) {
      await eventually(() => expect(inChatwoot(of(number))).toContain(`a question ${each}`), 300_000);
      await eventually(async () => expect(await sent(number)).toContain(`an answer ${each}`), 300_000);
    }
    await delay(4_000); // A sweep, or the repetition of a request that failed, would bring a second copy.
    await stack.settled();
    for (const number of people) {
      expect(inConversation(number, 'a question ')).toEqual(texts('a question'));
      expect(await sent(number)).toEqual(texts('an answer'));
      expect(inConversation(number, 'an answer ')).toEqual(texts('an answer'));
    }
    expect(chatwoot.refused).toEqual([]);
  });

  it('says what is missing in its settings', async () => {
    await using example = new Example([process.execPath, 'chatwoot/bridge.mjs'], { ...env(), CHATWOOT_TOKEN: '' });
    expect(await example.exitCode).toBe(1);
    expect(example.errors.join('\n')).toContain('set CHATWOOT_URL and CHATWOOT_TOKEN');
  });
});
