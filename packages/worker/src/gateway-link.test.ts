import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';

const LINK = new URL('../dist/gateway-link.js', import.meta.url).href;

/** Runs this script in a worker process. Returns its messages, and its stdout. */
async function worker(script: string) {
  const lines = [
    `import { Socket } from 'node:net';`,
    `import { setImmediate as turn } from 'node:timers/promises';`,
    'let writes = 0;',
    `for (const name of ['_write', '_writev']) {`,
    '  const { [name]: write } = Socket.prototype;',
    '  Socket.prototype[name] = function (...all) { writes += 1; return write.apply(this, all); };',
    '}',
    `const { GatewayLink } = await import('${LINK}');`,
    'const link = new GatewayLink();',
    `const booted = () => link.send({ type: 'booted' });`,
    script,
  ];
  const stdio = ['ignore', 'pipe', 'inherit', 'pipe', 'pipe'] as const;
  const child = spawn(process.execPath, ['--input-type=module', '-e', lines.join('\n')], { stdio: [...stdio] });
  const output = child.stdout as Readable;
  const [sent, stdout] = await Promise.all([text(child.stdio[3] as Readable), text(output), once(child, 'close')]);
  return { messages: sent.split('\n').length - 1, stdout };
}

it('the messages of one turn of the event loop are one write', async () => {
  const { messages, stdout } = await worker(
    'for (let n = 0; n < 3; n += 1) booted(); await turn(); await turn(); const counted = writes; booted(); await link.flush(); console.log(counted); process.exit();',
  );
  expect(messages).toBe(4);
  expect(stdout).toBe('1\n');
});

it('no message is lost at an exit that waits for them', async () => {
  const { messages } = await worker(
    'for (let n = 0; n < 10_000; n += 1) booted(); await link.flush(); process.exit();',
  );
  expect(messages).toBe(10_000);
});

it('a long list is sent in parts if its rows are known, a short one and any other as the answer', async () => {
  const { messages, stdout } = await worker(
    `const rows = (count) => Array.from({ length: count }, (_, id) => ({ id }));
    const sent = [];
    const send = link.send.bind(link);
    link.send = (message) => { sent.push([message.type, (message.rows ?? message.answer).length]); send(message); };
    const answer = (operation, found) => link.answer({ callId: 1, operation }, found);
    for (const count of [3, 1_200]) answer('listContacts', rows(count));
    answer('listContacts', [{ id: 'x'.repeat(300_000) }, { id: 'y' }]);
    answer('getAbout', 'no list'); answer('listLabels', rows(1_200));
    await link.flush(); console.log(JSON.stringify(sent)); process.exit();`,
  );
  expect(messages).toBe(8);
  const [short, ...rest] = JSON.parse(stdout);
  expect(short).toEqual(['answer', 3]);
  expect(rest.slice(0, 3)).toEqual([
    ['rows', 500],
    ['rows', 500],
    ['answer', 200],
  ]);
  expect(rest.slice(3)).toEqual([
    ['rows', 1],
    ['answer', 1],
    ['answer', 7],
    ['answer', 1_200],
  ]);
});
