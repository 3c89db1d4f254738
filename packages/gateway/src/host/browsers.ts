import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ownerIn, type ProcessId, profileIn } from '@chat-web/protocol';
import { familyOf, isAlive, ownLineage, type Process, programOf } from './processes.ts';

export const WORKER_FILE = fileURLToPath(import.meta.resolve('#worker/main.cjs'));

const PROFILE = '--user-data-dir=';

export interface BrowserProcesses {
  /** All processes of orphaned browsers: their worker or the main process of the browser is dead. */
  readonly ours: readonly Process[];
  /** Browsers that this user started otherwise, or that belong to a live worker. */
  readonly foreign: readonly Process[];
}

/**
 * The processes that run on a profile, among these of our own user, by command line, never by name. An argument of the
 * browser names its worker: if the worker is dead, the browser is ours; if it lives or is not named, it is foreign.
 * Never includes this process, its ancestors or its workers.
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

export function profilesBelow(folder: string, all: readonly Process[]): string[] {
  const named = all.map(({ args }) => profileOf(args)).filter((profile) => profile !== undefined);
  return [...new Set(named)].filter((profile) => profile.startsWith(`${folder}/`));
}

/** The profile in a command line. Processes forked by Chromium's zygote have their command line in one string. */
export function profileOf(args: readonly string[]): string | undefined {
  const own = args.find((arg) => arg.startsWith(PROFILE));
  if (own !== undefined) return own.slice(PROFILE.length);
  const [whole = ''] = args;
  const inOne = whole.includes(' --type=') ? / --user-data-dir=(.*?)(?= --|$)/.exec(whole)?.[1] : undefined;
  return inOne ?? profileIn(args.join('\0'));
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
 * The worker with this pid if its gateway is dead: it was reparented to init or a subreaper, and is exiting or stuck.
 * Undefined for any other process, since a command line can name any pid.
 */
function orphanedWorker({ pid }: ProcessId, all: readonly Process[]): Process | undefined {
  const worker = all.find((one) => one.pid === pid);
  if (!worker || !runsWorkerFile(worker)) return undefined;
  return worker.parent === 1 || programOf({ pid: worker.parent }) !== programOf(worker) ? worker : undefined;
}

/** Not every child process: the first process of a container inherits orphans of others. */
function isOwnWorker(one: Process): boolean {
  return one.parent === process.pid && runsWorkerFile(one);
}

function runsWorkerFile(one: Process): boolean {
  const [, ...args] = one.args;
  const file = args.find((arg) => !arg.startsWith('-'));
  return file === WORKER_FILE && basename(programOf(one) ?? '') === basename(process.execPath);
}

/** Siblings of a helper that name no profile, if the browser that led their session is dead. Only the same program. */
function leaderlessWith(helper: Process, all: readonly Process[]): Process[] {
  const led = helper.session === helper.group && !all.some(({ pid }) => pid === helper.session);
  const program = led && programOf(helper);
  if (!program) return [];
  return all.filter(
    (one) => one.session === helper.session && one.group === helper.group && programOf(one) === program,
  );
}
