import {
  type AnswerOf,
  type CallOptions,
  type Example,
  linkingOperations,
  type Operation,
  type WorkerOperationName,
  workerOperations,
} from '@chat-web/protocol';
import { ADA, BEN, eventually, examplesOf, type TitledExample } from '@chat-web/testing';
import { prepareExamples, Stack } from '@chat-web/testing/stack';
import { contract } from '@chat-web/worker/contract';
import * as v from 'valibot';
import { expect, it } from 'vitest';
import { lossesOf, neededFor } from '../../packages/worker/dist/client/capabilities.js';

/** A start without a module that everything needs waits 30 s for it. The next attempt is half an hour later. */
const START_MS = 120_000;
const SOON_MS = 25 * 60_000;
/** The page is checked every 15 s. */
const LATE_PARTS_MS = 40_000;
/** There must be a pause between look-ups of numbers. */
const PACED = { retries: 2, timeoutMs: 45_000 };

/** A page without a linked account has its own tests. */
const names = (Object.keys(workerOperations) as WorkerOperationName[]).filter(
  (name) => !Object.hasOwn(linkingOperations, name),
);
const examples = examplesOf(names);
/** Those of one kind of thing run in the order of the table, beside those of others. */
const chains = new Map<string | undefined, TitledExample[]>();
for (const one of examples) {
  const [, , , kind] = workerOperations[one.name as WorkerOperationName].path.split('/');
  chains.set(kind, [...(chains.get(kind) ?? []), one]);
}

/** Few enough that most of a session's operations must still work. */
const MAX_CONCURRENT = 6;
const MAX_LOST = 8;

/**
 * The modules to remove in each run of the page. A module that everything needs is removed on its own. Others share a
 * run as long as they lose together exactly what each loses on its own.
 */
function batches(): string[][] {
  const found: string[][] = [];
  for (const module of Object.keys(contract)) {
    const own = new Set<string>(lossesOf([module]).keys());
    const fits = (batch: readonly string[]) => {
      const before = new Set<string>(lossesOf(batch).keys());
      const together = new Set<string>(lossesOf([...batch, module]).keys());
      return (
        batch.length < MAX_CONCURRENT &&
        !before.has('session') &&
        together.size <= MAX_LOST &&
        together.size === new Set([...before, ...own]).size
      );
    };
    const batch = own.has('session') ? undefined : found.find(fits);
    if (batch) batch.push(module);
    else found.push([module]);
  }
  return found;
}

type Status = AnswerOf<'getSessionStatus'>;

/** The capabilities that a session reports as missing because its page lacks parts. */
function lacksOf({ degraded = [] }: Status): string[] {
  return degraded
    .filter(({ reason }) => reason.startsWith('the page lacks'))
    .map(({ capability }) => capability)
    .sort();
}

const download = v.object({ data: v.instance(ReadableStream) });
const withResults = v.object({ participants: v.array(v.object({ ok: v.boolean(), code: v.number() })) });

/** Carries out an example, whose participants must all succeed. The code that refuses it; undefined if none does. */
async function refusalOf(stack: Stack, { name, example }: TitledExample): Promise<string | undefined> {
  const { keyed }: Operation = workerOperations[name as WorkerOperationName];
  const call = stack.client[name] as (input: Example, options: CallOptions) => Promise<unknown>;
  try {
    const answer = await call(example, keyed ? {} : PACED);
    if (v.is(download, answer)) await answer.data.cancel();
    const refused = v.is(withResults, answer) && answer.participants.find(({ ok }) => !ok);
    return refused ? `a participant with code ${refused.code}` : undefined;
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    return code === 'page_unsupported' ? code : `${code} (${message})`;
  }
}

/** Starts the session of a linked account without some modules of its page. */
async function restartWithout(stack: Stack, modules: readonly string[]): Promise<Status> {
  await stack.phones.configure({ missingModules: modules });
  await stack.client.restartSession({ id: 'main' });
  return eventually(async () => {
    const now = await stack.client.getSessionStatus({ id: 'main' });
    if (now.status !== 'ready' && !now.nextAttemptAt) throw new Error(`${now.status} (${now.message})`);
    return now;
  }, START_MS);
}

const shown = (runs: readonly string[][]) => runs.map((modules) => [modules.join(', '), modules] as const);
const isFatal = (modules: readonly string[]) => lossesOf(modules).has('session');

it.each(shown(batches().filter(isFatal)))(
  'a page without %s: no session is ready',
  { concurrent: true },
  async (_, modules) => {
    await using stack = await Stack.start();
    await stack.link('main', ADA);
    const { status, reason, message, nextAttemptAt } = await restartWithout(stack, modules);
    expect({ status, reason, message }).toEqual({
      status: expect.not.stringMatching('ready'),
      reason: 'PAGE_UNSUPPORTED',
      message: expect.stringContaining(`lacks ${modules.join()}`),
    });
    expect(Date.parse(nextAttemptAt ?? '') - Date.now()).toBeGreaterThan(SOON_MS);
  },
);

it.each(shown(batches().filter((modules) => !isFatal(modules))))(
  'a page without %s: the session reports it, calls that need it are 501, all others work',
  async (names, modules) => {
    await using stack = await Stack.start();
    const { client, phones } = stack;
    await stack.linkLongAgo('main', ADA);
    const events = await stack.listen('main');
    await prepareExamples(phones, ADA);
    await phones.profile(ADA, { business: false });
    const before = await client.getSessionStatus({ id: 'main' });
    const status = await restartWithout(stack, modules);
    expect(status).toMatchObject({ status: 'ready', restarts: before.restarts + 1 });
    // The contract says what is lost without a module, and where another module does the same.
    const lost = new Set<string>(lossesOf(modules).keys());
    const problems: string[] = [];
    let isFollowing = false;
    const judge = async (one: TitledExample) => {
      const { name, title, example } = one;
      const isLost =
        neededFor(name as WorkerOperationName, example).some((capability) => lost.has(capability)) ||
        // An account without a call engine has the module. Only the response says that the engine is missing.
        (name === 'rejectCall' && modules.includes('WAWebVoipStackInterface'));
      const refusal = await refusalOf(stack, one);
      // Nothing was followed before.
      const hasNothing = name === 'unfollowChannel' && !isFollowing && refusal?.startsWith('chat_not_found');
      if (name === 'followChannel') isFollowing = refusal === undefined;
      if (!hasNothing && refusal !== (isLost ? 'page_unsupported' : undefined))
        problems.push(`${name} (${title}): ${refusal}`);
    };
    // Only a personal account has a name that can be changed, and only a business has labels.
    const isName = ({ name }: TitledExample) => name === 'setProfileName';
    for (const one of examples.filter(isName)) await judge(one);
    await phones.profile(ADA, { business: true });
    const body = `without ${names}`;
    await phones.send(BEN, { to: ADA, body });
    await events.until('message', (message) => message.body === body);
    await Promise.all(
      [...chains.values()].map(async (chain) => {
        for (const one of chain) if (!isName(one)) await judge(one);
      }),
    );
    expect(problems).toEqual([]);
    // Some modules load late: the status lists them as missing until the page is checked again.
    await eventually(
      async () => expect(lacksOf(await client.getSessionStatus({ id: 'main' }))).toEqual([...lost].sort()),
      LATE_PARTS_MS,
    );
    expect(await client.getSessionStatus({ id: 'main' })).toMatchObject({
      status: 'ready',
      restarts: status.restarts,
    });
  },
);
