import { readdirSync, readFileSync } from 'node:fs';

/** Every live process (no zombies) with its parent and its arguments. */
function processes(): { pid: number; parent: number; args: string[] }[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .flatMap((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
        const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        if (state === 'Z') return [];
        const args = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
        return [{ pid: Number(pid), parent: Number(parent), args }];
      } catch {
        return []; // It ended while we looked.
      }
    });
}

/** The workers of a gateway. */
export function workersOf(gatewayPid: number): number[] {
  return processes()
    .filter(({ parent, args }) => parent === gatewayPid && args.some((arg) => arg.endsWith('worker/dist/main.js')))
    .map(({ pid }) => pid);
}

/** All processes of browsers whose profile lies in a folder. */
export function browsersIn(folder: string): number[] {
  const all = processes();
  const found = new Set(
    all.filter(({ args }) => args.some((arg) => arg.startsWith(`--user-data-dir=${folder}/`))).map(({ pid }) => pid),
  );
  // Renderers and other helpers do not all name the profile, but descend from the browser that does.
  for (let size = -1; size !== found.size; ) {
    size = found.size;
    for (const { pid, parent } of all) if (found.has(parent)) found.add(pid);
  }
  return [...found];
}

/** The renderers among a folder's browser processes. */
export function renderersIn(folder: string): number[] {
  const ours = new Set(browsersIn(folder));
  return (
    processes()
      // Processes that come out of Chromium's zygote have their command line in one piece.
      .filter(({ pid, args }) => ours.has(pid) && args.join(' ').includes('--type=renderer'))
      .map(({ pid }) => pid)
  );
}
