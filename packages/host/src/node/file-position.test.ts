import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { freshFolder } from '@chat-web/testing/hooks';
import { beforeEach, describe, expect, it } from 'vitest';
import { filePosition } from './file-position.ts';

const folder = freshFolder();
let file: string;
beforeEach(() => {
  file = join(folder, 'position');
});

const BUILT = new URL('../../dist/node.js', import.meta.url).href;

/** A process that holds a position, and prints the result of its load. */
async function holder(path: string) {
  const code = `import { filePosition } from ${JSON.stringify(BUILT)};
    const store = filePosition(${JSON.stringify(path)});
    setInterval(() => {}, 1_000);
    store.load().then(() => console.log('held'), (error) => { console.log(error.message); process.exit(); });
    process.on('message', () => {});`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [said] = (await once(child.stdout, 'data')) as [Buffer];
  const kill = async () => {
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  return { said: said.toString().trim(), kill };
}

describe('a position in a file', () => {
  it('is available to the next process, readable only by its user, without other files left behind', async () => {
    const first = filePosition(file);
    expect(await first.load()).toBeUndefined();
    await first.save('e1-1');
    await first.save('e1-2');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await first.close?.();
    expect(readdirSync(folder)).toEqual(['position']);
    const second = filePosition(file);
    expect(await second.load()).toBe('e1-2');
    await second.close?.();
  });

  it('is private and complete even if a killed process left files behind', async () => {
    writeFileSync(`${file}.new`, 'half of an i', { mode: 0o644 });
    chmodSync(`${file}.new`, 0o644);
    writeFileSync(file, 'e1-1\n', { mode: 0o644 });
    const store = filePosition(file);
    expect(await store.load()).toBe('e1-1');
    await store.save('e1-2');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).toBe('e1-2\n');
    await store.close?.();
  });

  it('refuses a second listener, of this process or of another, until the first has ended or was killed', async () => {
    const store = filePosition(file);
    await store.load();
    await expect(filePosition(file).load()).rejects.toThrow('is in use by another listener');
    expect((await holder(file)).said).toContain('is in use by another listener');
    await store.close?.();
    const other = await holder(file);
    expect(other.said).toBe('held');
    await expect(filePosition(file).load()).rejects.toThrow('is in use by another listener');
    await other.kill();
    expect(existsSync(`${file}.lock`)).toBe(true);
    const after = filePosition(file);
    await after.load();
    await after.save('e1-1');
    await after.close?.();
  });

  it('is held by exactly one of many that start at once after a kill', async () => {
    await (await holder(file)).kill();
    const stores = Array.from({ length: 10 }, () => filePosition(file));
    const held = await Promise.allSettled(stores.map((store) => store.load()));
    const saved = await Promise.allSettled(
      stores.map(async (store, n) => {
        if (held[n]?.status === 'rejected') throw held[n].reason;
        await store.save(`e1-${n}`);
      }),
    );
    expect(saved.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const one of saved)
      if (one.status === 'rejected') expect(String(one.reason)).toContain('is in use by another listener');
    await Promise.all(stores.map((store, n) => held[n]?.status === 'fulfilled' && store.close?.()));
  });

  it('explains what is wrong with a foreign file, a folder, or a missing path', async () => {
    writeFileSync(file, 'my only copy\nof a letter\n');
    await expect(filePosition(file).load()).rejects.toThrow('contains no position: use another path');
    expect(readFileSync(file, 'utf8')).toBe('my only copy\nof a letter\n');
    writeFileSync(`${join(folder, 'b')}.lock`, 'a file');
    await expect(filePosition(join(folder, 'b')).load()).rejects.toThrow('b.lock is in the way');
    mkdirSync(join(folder, 'c'));
    await expect(filePosition(join(folder, 'c')).load()).rejects.toThrow('EISDIR');
    await expect(filePosition(join(folder, 'd/e')).load()).rejects.toThrow('ENOENT');
    const again = filePosition(file);
    writeFileSync(file, 'e1-1');
    expect(await again.load()).toBe('e1-1'); // A refused load holds no lock.
    await again.close?.();
  });

  it('works with a path longer than a socket path may be', async () => {
    const deep = join(folder, 'x'.repeat(100), 'y'.repeat(100));
    mkdirSync(deep, { recursive: true });
    const store = filePosition(join(deep, 'position'));
    await store.load();
    await store.save('e1-1');
    await expect(filePosition(join(deep, 'position')).load()).rejects.toThrow('is in use');
    await store.close?.();
  });

  it('is no longer saved by a process whose lock was taken, which keeps the new lock when it ends', async () => {
    const store = filePosition(file);
    await store.load();
    rmSync(`${file}.lock`);
    const other = createServer().listen(`${file}.lock`);
    await once(other, 'listening');
    await expect(store.save('e1-9')).rejects.toThrow('is in use by another listener');
    await store.close?.();
    expect(existsSync(`${file}.lock`)).toBe(true);
    await new Promise((resolve) => other.close(resolve));
  });

  it('keeps no process alive', async () => {
    const code = `import { filePosition } from ${JSON.stringify(BUILT)};
      const store = filePosition(${JSON.stringify(file)});
      await store.load();
      await store.save('e1-1');`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: 'inherit' });
    expect(await once(child, 'exit')).toEqual([0, null]);
  });
});
