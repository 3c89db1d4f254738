import { join } from 'node:path';
import { ADA, BEN, Example, eventually, temporaryFolder } from '@chat-web/testing';
import { sharedStack } from '@chat-web/testing/story';
import { describe, expect, it } from 'vitest';

const TOKEN = 'a-token-that-the-examples-are-given';

describe('the examples', () => {
  const stack = sharedStack({ settings: { CHAT_WEB_TOKEN: TOKEN } });
  const example = (name: string, args: string[], { token = TOKEN, env = {} } = {}) =>
    new Example([process.execPath, name, ...args], {
      GATEWAY_URL: stack.gateway.url,
      GATEWAY_TOKEN: token,
      SESSION: 'main',
      ...env,
    });

  it('send.mjs links an account by the QR that it prints, and sends a text', async () => {
    await using send = example('send.mjs', [`+${BEN}`, 'Hello from an example']);
    await stack.phones.scan(ADA, await send.line(/^data:image\/png;base64,/));
    expect({ code: await send.exitCode, errors: send.errors }).toEqual({ code: 0, errors: [] });
    const [, id = ''] = (await send.line(/^sent /)).split(' ');
    expect(await stack.onPhone(BEN, id)).toMatchObject({ body: 'Hello from an example' });
  });

  it('send.mjs prints no QR for a linked session, and errors with their code', async () => {
    await using send = example('send.mjs', ['+49000']);
    expect(await send.exitCode).toBe(1);
    expect(send.out).toEqual([]);
    expect(send.errors.join('\n')).toMatch(/^(invalid_request|recipient_not_found): /);
  });

  it('events.mjs prints events, and resumes after a restart of the gateway and of itself', async () => {
    using folder = temporaryFolder();
    const env = { POSITION: join(folder.path, 'position') };
    await using events = example('events.mjs', ['main'], { env });
    await events.error(/^connected/);
    await stack.phones.send(BEN, { to: ADA, body: 'before' });
    expect(JSON.parse(await events.line(/"before"/))).toMatchObject({ name: 'message', data: { body: 'before' } });

    const { port } = new URL(stack.gateway.url);
    await stack.gateway.end();
    await stack.restartGateway({ CHAT_WEB_PORT: port });
    await stack.untilStatus('main', 'ready');
    await stack.phones.send(BEN, { to: ADA, body: 'after' });
    await events.line(/"after"/);
    expect(await events.interrupt()).toBe(0);

    await stack.phones.send(BEN, { to: ADA, body: 'while it was away' });
    await using again = example('events.mjs', ['main'], { env });
    await again.line(/"while it was away"/);
    expect(again.out.join()).not.toContain('"after"');
    expect(await again.interrupt()).toBe(0);
  });

  it('echo-bot.mjs answers each text once, although it and the gateway are killed', async () => {
    using folder = temporaryFolder();
    const env = { POSITION: join(folder.path, 'position') };
    const texts = ['one', 'two', 'three'];
    const echoes = async () => {
      const all = await stack.phones.messages(BEN);
      return all.filter(({ from, body }) => from === `${ADA}@c.us` && texts.includes(body)).map(({ body }) => body);
    };
    await using bot = example('echo-bot.mjs', ['main'], { env });
    await bot.error(/^connected/);
    await stack.phones.send(BEN, { to: ADA, body: 'one' });
    await bot.line(/^answered /);
    await bot.kill();
    await stack.phones.send(BEN, { to: ADA, body: 'two' });

    const { port } = new URL(stack.gateway.url);
    await stack.gateway.end('SIGKILL');
    await using again = example('echo-bot.mjs', ['main'], { env });
    await stack.restartGateway({ CHAT_WEB_PORT: port });
    await stack.untilStatus('main', 'ready');
    await stack.phones.send(BEN, { to: ADA, body: 'three' });
    await eventually(async () => expect(await echoes()).toContain('three'));
    expect(await again.interrupt()).toBe(0);
    expect(await echoes()).toEqual(texts);
  });

  it('events.mjs exits if a retry cannot help', async () => {
    await using events = example('events.mjs', ['main'], { token: 'wrong' });
    expect({ code: await events.exitCode, out: events.out }).toEqual({ code: 1, out: [] });
    expect(events.errors.join('\n')).toMatch(/^unauthorized: /);
  });
});
