import { totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { numberIn, readText } from './text-files.ts';

/** The memory files of cgroup v2 and v1. */
const VERSIONS = [
  { mount: '/sys/fs/cgroup', limit: 'memory.max', usage: 'memory.current', cache: /^inactive_file (\d+)/m },
  {
    mount: '/sys/fs/cgroup/memory',
    limit: 'memory.limit_in_bytes',
    usage: 'memory.usage_in_bytes',
    cache: /^total_inactive_file (\d+)/m,
  },
] as const;

/**
 * Available memory in bytes: the minimum of the machine's available memory and what the limits of our cgroup and its
 * parents leave. Infinity if unknown. `root`: the root of the file system, for tests.
 */
export function availableMemoryBytes(root = '/'): number {
  const machine = numberIn(readText(join(root, 'proc/meminfo')), /^MemAvailable:\s+(\d+) kB/m);
  const left = limitsWithin(root).map((limit) => limit.leftBytes);
  return Math.max(0, Math.min(machine === undefined ? Number.POSITIVE_INFINITY : machine * 1_024, ...left));
}

/** The machine's memory in bytes, or the tightest limit of our cgroup and its parents if that is less. */
export function totalMemoryBytes(root = '/'): number {
  return Math.min(totalmem(), ...limitsWithin(root).map((limit) => limit.maxBytes));
}

interface MemoryLimit {
  readonly maxBytes: number;
  readonly leftBytes: number;
}

function limitsWithin(root: string): MemoryLimit[] {
  const groups = readText(join(root, 'proc/self/cgroup')) ?? '';
  const paths = [/^0::(.*)$/m, /^\d+:(?:[^:]*,)?memory(?:,[^:]*)?:(.*)$/m].map((line) => line.exec(groups)?.[1]);
  return VERSIONS.flatMap((version, n) => limitsOf(root, version, paths[n]));
}

/** The limits of each cgroup from ours upwards. In a container only the top folder may exist: it is ours. */
function limitsOf(
  root: string,
  { mount, limit, usage, cache }: (typeof VERSIONS)[number],
  path: string | undefined,
): MemoryLimit[] {
  if (path === undefined) return [];
  const limits: MemoryLimit[] = [];
  for (let at = path; ; at = dirname(at)) {
    const folder = join(root, mount, at);
    const max = numberIn(readText(join(folder, limit)), /^(\d+)/);
    const used = numberIn(readText(join(folder, usage)), /^(\d+)/);
    // The kernel reclaims the inactive file cache when memory is needed.
    const idle = numberIn(readText(join(folder, 'memory.stat')), cache) ?? 0;
    if (max !== undefined && used !== undefined) limits.push({ maxBytes: max, leftBytes: max - used + idle });
    if (at === '/' || at === '.') return limits;
  }
}
