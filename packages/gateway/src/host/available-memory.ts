import { dirname, join } from 'node:path';
import { numberIn, readText } from './text-files.ts';

/** The files in which the two versions of cgroups tell of memory. */
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
 * How much memory may still be taken without swapping or hitting a limit: what the machine has available, or what is
 * left within the limits of our cgroup and those above it, whichever is less. Infinity where nothing tells. `root`
 * is where the machine's files lie.
 */
export function availableMemoryBytes(root = '/'): number {
  const machine = numberIn(readText(join(root, 'proc/meminfo')), /^MemAvailable:\s+(\d+) kB/m);
  const groups = readText(join(root, 'proc/self/cgroup')) ?? '';
  const paths = [/^0::(.*)$/m, /^\d+:(?:[^:]*,)?memory(?:,[^:]*)?:(.*)$/m].map((line) => line.exec(groups)?.[1]);
  const left = VERSIONS.flatMap((version, n) => leftWithin(root, version, paths[n]));
  return Math.max(0, Math.min(machine === undefined ? Number.POSITIVE_INFINITY : machine * 1_024, ...left));
}

/** What each limit from our cgroup upwards leaves. In a container only the topmost folder may be there: it is ours. */
function leftWithin(root: string, { mount, limit, usage, cache }: (typeof VERSIONS)[number], path?: string): number[] {
  if (path === undefined) return [];
  const left: number[] = [];
  for (let at = path; ; at = dirname(at)) {
    const folder = join(root, mount, at);
    const max = numberIn(readText(join(folder, limit)), /^(\d+)/);
    const used = numberIn(readText(join(folder, usage)), /^(\d+)/);
    // Files that nobody has looked at for long are given back when somebody needs the memory.
    const idle = numberIn(readText(join(folder, 'memory.stat')), cache) ?? 0;
    if (max !== undefined && used !== undefined) left.push(max - used + idle);
    if (at === '/' || at === '.') return left;
  }
}
