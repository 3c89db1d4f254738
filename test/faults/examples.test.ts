import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Example } from '../helpers/example.ts';
import { ADA, BEN, Stack } from '../helpers/stack.ts';

const TOKEN = 'a-token-that-the-examples-are-given';

describe('the examples', () => {
  let stack: Stack;
  const example = (name: string, args: string[], { token = TOKEN, env = {} } = {}) =>
    new Example([process.execPath, name, ...args], {
      ...{ GATEWAY_URL: stack.gateway.url, GATEWAY_TOKEN: token, SESSION: 'main', ...env },
    });
  beforeAll(async () => {
    stack = await Stack.start({ settings: { CHAT_WEB_TOKEN: TOKEN } });
  });
  afterAll(() => stack[Symbol.asyncDispose]());

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
    const folder = await mkdtemp(join(tmpdir(), 'chat-web-test-'));
    const env = { POSITION: join(folder, 'position') };
    try {
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
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('events.mjs exits if a retry cannot help', async () => {
    await using events = example('events.mjs', ['main'], { token: 'wrong' });
    expect({ code: await events.exitCode, out: events.out }).toEqual({ code: 1, out: [] });
    expect(events.errors.join('\n')).toMatch(/^unauthorized: /);
  });
});
