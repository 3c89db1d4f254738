import { createServer } from 'node:net';
import { listening } from '@chat-web/testing';
import { expect, it, onTestFinished } from 'vitest';
import { ProxyCheck, ProxyError } from './proxy-check.ts';

async function server(): Promise<number> {
  const listener = createServer((socket) => socket.destroy());
  onTestFinished(() => void listener.close());
  return listening(listener);
}
const never = new AbortController().signal;
const allowing = (...allowed: string[]) => new ProxyCheck(allowed);

it.each(['http://127.0.0.1:3128', 'socks5://[::1]:1080', 'https://10.1.2.3:443', 'socks5://169.254.169.254:80'])(
  '%s is refused, both when it is named and at the start, unless the operator allows its address',
  async (url) => {
    await expect(allowing().requireAllowed({ url }, 'main')).rejects.toMatchObject({ code: 'url_not_allowed' });
    await expect(allowing().reach({ url }, 'main', never)).rejects.toThrow('its address is not allowed');
    await allowing('127.0.0.0/8', '::1/128', '10.0.0.0/8', '169.254.169.254/32').requireAllowed({ url }, 'main');
  },
);

it('is refused by name, too, and on the ports of other protocols', async () => {
  for (const url of ['http://localhost:3128', 'socks5://localhost:1080'])
    await expect(allowing().requireAllowed({ url }, 'main')).rejects.toMatchObject({ code: 'url_not_allowed' });
  await expect(allowing().requireAllowed({ url: 'http://8.8.8.8:25' }, 'main')).rejects.toThrow('reserved');
  await expect(allowing().requireAllowed({ url: 'http://no-such-host.invalid:3128' }, 'main')).rejects.toThrow(
    'resolved',
  );
});

it.each(['http', 'https', 'socks5'])('returns the address on which a proxy accepts connections: %s', async (scheme) => {
  const port = await server();
  expect(await allowing('127.0.0.1/32').reach({ url: `${scheme}://127.0.0.1:${port}` }, 'main', never)).toBe(
    '127.0.0.1',
  );
  expect(await allowing(`localhost:${port}`).reach({ url: `${scheme}://localhost:${port}` }, 'main', never)).toBe(
    '127.0.0.1',
  );
});

it('says why a proxy cannot be reached, and stops when the start is ended', async () => {
  const listener = createServer();
  const port = await listening(listener);
  await new Promise((resolve) => listener.close(resolve));
  const check = allowing('127.0.0.0/8');
  const failed = check.reach({ url: `http://127.0.0.1:${port}` }, 'main', never);
  await expect(failed).rejects.toThrow('it accepts no connection (ECONNREFUSED)');
  await expect(failed).rejects.toBeInstanceOf(ProxyError);
  const ended = new Error('the run ended');
  await expect(check.reach({ url: 'http://127.0.0.1:1' }, 'main', AbortSignal.abort(ended))).rejects.toBe(ended);
});
