import { ConfigError, readConfig } from '@chat-web/gateway/tools';
import { interruption, oneLine, printLine, UsageError } from '../command-line.ts';
import { type DoctorOptions, readArguments, USAGE } from './arguments.ts';
import { runDoctor } from './doctor.ts';
import { Report, textPrinter } from './report.ts';

/** `chat-web doctor`: whether this machine, this page and this account work. */

const EX_USAGE = 2;

const options = readOptions();
if (options.help) {
  process.stdout.write(USAGE);
  process.exit(0);
}

const interrupted = interruption();

const report = new Report(options.json ? () => {} : textPrinter(printLine), interrupted.signal);

const config = readSettings();
const found = config ? await runDoctor(report, { options, config, env: process.env, signal: interrupted.signal }) : {};
const summary = { ...found, isInterrupted: interrupted.signal.aborted };
if (options.json) printLine(report.json(summary));
else process.stdout.write(report.summaryText(summary));
process.exit(report.exitCode(summary.isInterrupted));

function readOptions(): DoctorOptions {
  try {
    return readArguments(process.argv.slice(2));
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`${oneLine(error.message)}\n\n${USAGE}`);
    process.exit(EX_USAGE);
  }
}

function readSettings() {
  try {
    // The token is for doctor; the file gives the gateway its hash. A gateway allows only one of them.
    const { CHAT_WEB_TOKEN_FILE, ...env } = process.env;
    return readConfig(env.CHAT_WEB_TOKEN ? env : process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    for (const detail of error.problems)
      report.add({ check: 'settings', result: 'fail', detail, todo: 'correct it in the environment of the gateway' });
    return undefined;
  }
}
