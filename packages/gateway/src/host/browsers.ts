import { basename } from 'node:path';
import { ownerIn, type ProcessId } from '@chat-web/protocol';
import { familyOf, isAlive, ownLineage, type Process, programOf } from './processes.ts';
import { WORKER_FILE } from './worker-file.ts';

const PROFILE = '--user-data-dir=';

/** What runs on a profile. */
export interface BrowserProcesses {
  /** Every process of browsers that are ours to end: their worker is gone, or the browser itself is. */
  readonly ours: readonly Process[];
  /** The browsers that this user has started otherwise, or that a worker still has. */
  readonly foreign: readonly Process[];
}

/**
 * What of these processes, all of our own user, runs on a profile: known by command lines, never by names. A browser
 * says with an argument which worker it belongs to: where that is dead the browser is ours, where it lives, or nobody
 * is named, it is not. This process, what it descends from and its own workers are never among them.
 */
export function browsersOn(profileDir: string, listed: readonly Process[]): BrowserProcesses {
  const lineage = ownLineage();
  const all = listed.filter((one) => !lineage.has(one.pid) && !isOwnWorker(one));
  const named = all.filter(({ args }) => profileOf(args) === profileDir);
  const foreign = named.filter((process) => !isHelper(process) && !isAbandoned(process, all));
  const theirs = new Set(familyOf(foreign, all).map(({ pid }) => pid));
  const mine = named.filter(({ pid }) => !theirs.has(pid));
  const family = familyOf(mine, all).filter(({ pid }) => !theirs.has(pid));
  const leftovers = mine.filter(isHelper).flatMap((helper) => leaderlessWith(helper, all));
  const owners = mine.flatMap((process) => orphanedOwner(process, all) ?? []);
  return { ours: [...new Set([...family, ...leftovers, ...owners])], foreign };
}

/** The profiles below a folder that processes name. */
export function profilesBelow(folder: string, all: readonly Process[]): string[] {
  const named = all.map(({ args }) => profileOf(args)).filter((profile) => profile !== undefined);
  return [...new Set(named)].filter((profile) => profile.startsWith(`${folder}/`));
}

/** The profile that a command line names. What comes out of Chromium's zygote has its command line in one piece. */
export function profileOf(args: readonly string[]): string | undefined {
  const own = args.find((arg) => arg.startsWith(PROFILE));
  if (own !== undefined) return own.slice(PROFILE.length);
  const [whole = ''] = args;
  return whole.includes(' --type=') ? / --user-data-dir=(.*?)(?= --|$)/.exec(whole)?.[1] : undefined;
}

function isHelper({ args }: Process): boolean {
  return args.some((arg) => arg.startsWith('--type=') || arg.includes(' --type='));
}

function isAbandoned({ args }: Process, all: readonly Process[]): boolean {
  const owner = ownerIn(args);
  return owner !== undefined && (!isAlive(owner) || orphanedWorker(owner, all) !== undefined);
}

function orphanedOwner({ args }: Process, all: readonly Process[]): Process | undefined {
  const owner = ownerIn(args);
  return owner && isAlive(owner) ? orphanedWorker(owner, all) : undefined;
}

/**
 * The worker of this number whose gateway is dead: it has fallen to init, or to what acts for it, and is on its way out
 * or stuck on it. Whatever else a command line may name is not for us to end.
 */
function orphanedWorker({ pid }: ProcessId, all: readonly Process[]): Process | undefined {
  const worker = all.find((one) => one.pid === pid);
  if (!worker || !runsWorkerFile(worker)) return undefined;
  return worker.parent === 1 || programOf({ pid: worker.parent }) !== programOf(worker) ? worker : undefined;
}

/** Not every child of ours: the first process of a container inherits what others have left. */
function isOwnWorker(one: Process): boolean {
  return one.parent === process.pid && runsWorkerFile(one);
}

function runsWorkerFile(one: Process): boolean {
  const [, ...args] = one.args;
  const file = args.find((arg) => !arg.startsWith('-'));
  return file === WORKER_FILE && basename(programOf(one) ?? '') === basename(process.execPath);
}

/** A helper's siblings that name no profile, where the browser, which led them all, is dead: the same program alone. */
function leaderlessWith(helper: Process, all: readonly Process[]): Process[] {
  const led = helper.session === helper.group && !all.some(({ pid }) => pid === helper.session);
  const program = led && programOf(helper);
  if (!program) return [];
  return all.filter(
    (one) => one.session === helper.session && one.group === helper.group && programOf(one) === program,
  );
}
