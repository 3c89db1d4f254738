import { calledAs } from '../command-line.ts';
import { checkAccount } from './account.ts';
import { adviceFor, errorLine } from './advice.ts';
import type { RunOptions } from './arguments.ts';
import { checkHosts } from './hosts.ts';
import { checkMachine, checkNetwork } from './machine.ts';
import { checkLoginPage } from './page.ts';
import type { Report, Summary } from './report.ts';

const WITHOUT_ACCOUNT = `Not checked yet: the time to ready, memory, sends, downloads, groups, contacts, pictures and the status feed.
Link an account, and run: ${calledAs('doctor')} --session <name> --to +<number>`;

/** Runs all requested checks. Never rejects: failures are findings. */
export async function runDoctor(report: Report, run: RunOptions): Promise<Omit<Summary, 'isInterrupted'>> {
  const { options, config, env, signal } = run;
  try {
    await checkMachine(report, config, env);
    await report.check('network', () => checkNetwork(config.browserArgs, signal));
    await checkHosts(report, config, signal);
    signal.throwIfAborted();
    if (options.session !== undefined) return { page: await checkAccount(report, run, options.session) };
    const page = await checkLoginPage(report, { config, env, quick: options.quick, signal });
    return { page, notChecked: WITHOUT_ACCOUNT };
  } catch (error) {
    if (!signal.aborted)
      report.add({ check: 'doctor', result: 'fail', detail: errorLine(error), todo: adviceFor(error) });
    return {};
  }
}
