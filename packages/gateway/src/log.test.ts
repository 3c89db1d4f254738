import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { withoutNumbers } from './log.ts';

const LOG = new URL('../dist/log.js', import.meta.url).href;

/** The messages that a process logs, and in how many writes until `tell` is called. */
async function logged(script: string) {
  const lines = [
    `import fs from 'node:fs';`,
    `import { setTimeout as delay } from 'node:timers/promises';`,
    `import { createLog } from '${LOG}';`,
    'const { write } = fs;',
    'let writes = 0;',
    'fs.write = (...all) => { writes += 1; return write(...all); };',
    `const { log } = createLog('info');`,
    `const tell = () => process.stderr.write(String(writes));`,
    script,
  ];
  const child = spawn(process.execPath, ['--input-type=module', '-e', lines.join('\n')]);
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  const messages = stdout.split('\n').filter((line) => line !== '');
  return {
    messages: messages.map((line) => (JSON.parse(line) as { msg: string }).msg),
    writes: Number.parseInt(stderr, 10),
  };
}

describe('the log', () => {
  const three = "for (const n of ['one', 'two', 'three']) log.info(n);";

  it('writes lines together that come within a moment, in order', async () => {
    const { messages, writes } = await logged(`${three} await delay(1_000); tell(); log.info('four');`);
    expect(messages).toEqual(['one', 'two', 'three', 'four']);
    expect(writes).toBe(1);
  });

  it.each([
    ['exits', 'process.exit(0)'],
    ['has nothing left to do', ''],
    ['ends by an uncaught error', "throw new Error('fatal')"],
    ['ends by a rejection', "await Promise.reject(new Error('fatal'))"],
  ])('loses no line when its process %s, few lines or many', async (_, end) => {
    const many = 'for (let n = 0; n < 5_000; n += 1) log.info(String(n));';
    const { messages } = await logged(`${three} ${many} ${three} ${end};`);
    expect(messages.slice(0, 4)).toEqual(['one', 'two', 'three', '0']);
    expect(messages.slice(-4)).toEqual(['4999', 'one', 'two', 'three']);
    expect(messages).toHaveLength(5_006);
  });

  it('lets no error wait, and no large batch', async () => {
    expect((await logged(`${three} log.error('four'); tell(); process.exit();`)).writes).toBe(1);
    expect((await logged(`for (let n = 0; n < 500; n += 1) log.info('${'x'.repeat(100)}'); tell();`)).writes).toBe(1);
  });
});

it('phone numbers are redacted, also in ids, and versions of the page are kept', () => {
  const text = 'page 2.3000.1037000001: a dialog stays open: chat with +12025550102 (false_12025550102@c.us_3EB0)';
  expect(withoutNumbers(text)).toBe(
    'page 2.3000.1037000001: a dialog stays open: chat with +<number> (false_<number>@c.us_3EB0)',
  );
});
