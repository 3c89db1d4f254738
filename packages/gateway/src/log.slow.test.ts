import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { withoutNumbers } from './log.ts';

const LOG = new URL('../dist/log.js', import.meta.url).href;

/** The messages that a process logs, and the number of writes until it calls `report`. */
async function logged(script: string) {
  const lines = [
    `import fs from 'node:fs';`,
    `import { setTimeout as delay } from 'node:timers/promises';`,
    `import { createLog } from '${LOG}';`,
    'const { writeSync } = fs;',
    'let writes = 0;',
    'fs.writeSync = (fd, ...all) => { writes += fd === 1 ? 1 : 0; return writeSync(fd, ...all); };',
    `const { log } = createLog('info');`,
    `const report = () => process.stderr.write(String(writes));`,
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

  it('writes the first line at once, and the lines shortly after it together, in order', async () => {
    const { messages, writes } = await logged(`${three} await delay(1_000); report(); log.info('four');`);
    expect(messages).toEqual(['one', 'two', 'three', 'four']);
    expect(writes).toBe(2);
    const { messages: last } = await logged("log.info('last words'); process.abort();");
    expect(last).toEqual(['last words']);
  });

  it('keeps lines that a full pipe does not accept, until its reader continues', async () => {
    const script = "for (let n = 0; n < 5_000; n += 1) log.info('x'.repeat(100)); log.info('last'); process.exit(0)";
    const lines = [`import { createLog } from '${LOG}';`, `const { log } = createLog('info');`, script];
    const child = spawn(process.execPath, ['--input-type=module', '-e', lines.join('\n')]);
    // The pipe is full by then.
    await delay(1_000);
    const whole = (await text(child.stdout)).trim().split('\n');
    expect(whole).toHaveLength(5_001);
    expect(JSON.parse(whole.at(-1) ?? '')).toMatchObject({ msg: 'last' });
  });

  it('does not prevent the exit of the process if there is no reader, or writing fails', async () => {
    const script = "log.error('one'); log.info('two'); process.exit(0)";
    const lines = [`import { createLog } from '${LOG}';`, `const { log } = createLog('info');`, script];
    for (const stdout of ['pipe', openSync('/dev/full', 'w')] as const) {
      const child = spawn(process.execPath, ['--input-type=module', '-e', lines.join('\n')], {
        stdio: ['ignore', stdout, 'ignore'],
      });
      child.stdout?.destroy();
      const [code] = (await once(child, 'exit')) as [number | null];
      expect(code).toBe(0);
    }
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

  it('writes errors and large batches without delay', async () => {
    expect((await logged(`${three} log.error('four'); report(); process.exit();`)).writes).toBe(2);
    const many = await logged(`for (let n = 0; n < 500; n += 1) log.info('${'x'.repeat(100)}'); report();`);
    expect(many.writes).toBeGreaterThan(3);
    expect(many.writes).toBeLessThan(20);
  });
});

it('phone numbers are redacted, also in ids, and versions of the page are kept', () => {
  const text = 'page 2.3000.1037000001: a dialog stays open: chat with +12025550102 (false_12025550102@c.us_3EB0)';
  expect(withoutNumbers(text)).toBe(
    'page 2.3000.1037000001: a dialog stays open: chat with +<number> (false_<number>@c.us_3EB0)',
  );
});
