import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ConfigError, inspectJournal, readConfig } from '@chat-web/gateway/tools';
import { errorText, sessionId } from '@chat-web/protocol';
import * as v from 'valibot';
import { calledAs, oneLine, printLine, quoted } from './command-line.ts';

/** `chat-web journal`: inspects the journal of events. It only reads, even while a gateway is running. */

const CALL = calledAs('journal');
const USAGE = `${CALL} verify                  checks that all of it is readable; exits with 1 if not
${CALL} stats                   events by session and name, size and age
${CALL} dump [--session <id>]   events as JSON lines, oldest first, with the contents of messages

--dir <folder>   the data folder; default: CHAT_WEB_DATA_DIR, or ./data
`;
const EX_USAGE = 64;
const EX_CONFIG = 78;
const MB = 1_048_576;

type Command = 'verify' | 'stats' | 'dump';

process.stdout.on('error', () => process.exit()); // Its reader has ended, such as `head`.

const { command, session, dir } = readOptions();
try {
  process.exitCode = await { verify, stats, dump }[command]();
} catch (error) {
  if (!(error instanceof Error) || !('code' in error)) throw error;
  printLine(`the journal cannot be read: ${error.message}`, process.stderr);
  process.exitCode = 1;
}

async function verify(): Promise<number> {
  let [segments, records, damaged] = [0, 0, 0];
  await inspectJournal(dir, {
    onSegment: () => {
      segments += 1;
    },
    onRecord: () => {
      records += 1;
    },
    onDamage: ({ path }, afterSeq, atEnd) => {
      if (atEnd) {
        printLine(`${path}: incomplete after ${afterSeq}: the next start of the gateway removes that`);
        return;
      }
      damaged += 1;
      printLine(`${path}: unreadable after ${afterSeq}: readers receive a gap`);
    },
  });
  printLine(`${segments} segments, ${records} records, ${damaged} damaged places`);
  return damaged > 0 ? 1 : 0;
}

async function stats(): Promise<number> {
  let bytes = 0;
  const times: number[] = [];
  const counts = new Map<string, number>();
  await inspectJournal(dir, {
    onSegment: (segment) => {
      bytes += segment.bytes;
    },
    onRecord: ({ kind, name, session: whose, at }) => {
      if (kind !== 'event' || (session !== undefined && whose !== session)) return;
      times[times.length === 0 ? 0 : 1] = at;
      const place = `${v.is(sessionId, whose) ? whose : quoted(whose)} ${name}`;
      counts.set(place, (counts.get(place) ?? 0) + 1);
    },
    onDamage: () => {},
  });
  printLine(`${(bytes / MB).toFixed(1)} MB, events from ${isoOf(times[0])} to ${isoOf(times[1] ?? times[0])}`);
  for (const [place, count] of [...counts].sort()) printLine(`${place} ${count}`);
  return 0;
}

async function dump(): Promise<number> {
  const forgotten = new Map<string, number>();
  await inspectJournal(dir, {
    onSegment: () => {},
    onRecord: ({ kind, session: whose, seq }) => {
      if (kind === 'forget') forgotten.set(whose, seq);
    },
    onDamage: () => {},
  });
  await inspectJournal(dir, {
    onSegment: () => {},
    onRecord: ({ kind, name, session: whose, seq, at, text }) => {
      if (kind !== 'event' || (session !== undefined && whose !== session)) return;
      if (seq < (forgotten.get(whose) ?? 0)) return;
      printLine(
        `{"seq":${seq},"session":${JSON.stringify(whose)},"at":"${isoOf(at)}","event":"${name}","data":${text}}`,
      );
    },
    onDamage: () => {},
  });
  return 0;
}

function isoOf(at: number | undefined): string {
  return at === undefined ? 'never' : new Date(at).toISOString();
}

function readOptions(): { command: Command; session: string | undefined; dir: string } {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { session: { type: 'string' }, dir: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
    });
    if (values.help) {
      process.stdout.write(USAGE);
      process.exit(0);
    }
    const [command, ...others] = positionals;
    if ((command !== 'verify' && command !== 'stats' && command !== 'dump') || others.length > 0)
      throw new TypeError('name one of verify, stats and dump');
    return { command, session: values.session, dir: join(values.dir ?? readConfig(process.env).dataDir, 'journal') };
  } catch (error) {
    if (error instanceof ConfigError) {
      process.stderr.write(`${error.problems.join('\n')}\n`);
      process.exit(EX_CONFIG);
    }
    process.stderr.write(`${oneLine(errorText(error))}\n\n${USAGE}`);
    process.exit(EX_USAGE);
  }
}
