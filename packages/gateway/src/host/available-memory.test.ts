import { mkdir, writeFile } from 'node:fs/promises';
import { freemem, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { freshFolder } from '@chat-web/testing/hooks';
import { describe, expect, it } from 'vitest';
import { availableMemoryBytes, totalMemoryBytes } from './available-memory.ts';

const root = freshFolder();

async function files(contents: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(contents)) {
    const path = join(root, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
}
const meminfo = { 'proc/meminfo': 'MemTotal: 900 kB\nMemFree: 10 kB\nMemAvailable:    500 kB\n' };

describe('the available memory', () => {
  it('is that of the machine without a cgroup limit', async () => {
    await files({ ...meminfo, 'proc/self/cgroup': '0::/a\n', 'sys/fs/cgroup/a/memory.max': 'max\n' });
    expect(availableMemoryBytes(root)).toBe(500 * 1_024);
  });

  it('is what the tightest cgroup limit leaves, including reclaimable cache', async () => {
    await files({
      ...meminfo,
      'proc/self/cgroup': '0::/a/b\n',
      'sys/fs/cgroup/a/memory.max': '300000\n',
      'sys/fs/cgroup/a/memory.current': '250000\n',
      'sys/fs/cgroup/a/memory.stat': 'anon 7\ninactive_file 20000\n',
      'sys/fs/cgroup/a/b/memory.max': '200000\n',
      'sys/fs/cgroup/a/b/memory.current': '1000\n',
    });
    expect(availableMemoryBytes(root)).toBe(70_000);
  });

  it('supports cgroup v1, also in a container that sees its own folder at the top', async () => {
    await files({
      ...meminfo,
      'proc/self/cgroup': '9:name=systemd:/\n4:cpu,memory:/docker/abc\n0::/\n',
      'sys/fs/cgroup/memory/memory.limit_in_bytes': '200000\n',
      'sys/fs/cgroup/memory/memory.usage_in_bytes': '150000\n',
    });
    expect(availableMemoryBytes(root)).toBe(50_000);
  });

  it('is never negative, and infinite if unknown', async () => {
    expect(availableMemoryBytes(root)).toBe(Number.POSITIVE_INFINITY);
    await files({
      'proc/self/cgroup': '0::/\n',
      'sys/fs/cgroup/memory.max': '10\n',
      'sys/fs/cgroup/memory.current': '20\n',
    });
    expect(availableMemoryBytes(root)).toBe(0);
  });

  it('is a part of the total, which the tightest cgroup limit bounds', async () => {
    expect(totalMemoryBytes(root)).toBe(totalmem());
    await files({
      'proc/self/cgroup': '0::/a/b\n',
      'sys/fs/cgroup/a/memory.max': '300000\n',
      'sys/fs/cgroup/a/memory.current': '250000\n',
      'sys/fs/cgroup/a/b/memory.max': 'max\n',
    });
    expect(totalMemoryBytes(root)).toBe(300_000);
    expect(availableMemoryBytes(root)).toBe(50_000);
  });

  it("is a part of this machine's memory", () => {
    expect(availableMemoryBytes()).toBeGreaterThan(0);
    if (process.platform === 'linux')
      expect(availableMemoryBytes()).toBeLessThanOrEqual(Math.max(totalmem(), freemem()));
  });
});
