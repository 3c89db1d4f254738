import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(import.meta.resolve('#gateway/main.js'));
/** The same command as in the unit, if there is a service manager. */
const WITH_NOTIFY_SOCKET = fileURLToPath(new URL('../../../../deploy/systemd/with-notify-socket.pl', import.meta.url));
/** Runs the gateway, and stops it when its stdin ends. */
const TETHERED_MAIN = fileURLToPath(import.meta.resolve('#gateway/tethered-main.js'));
const START_TIMEOUT_MS = 60_000;

interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A gateway in its own process, as operators run it. */
export interface GatewayProcess {
  readonly url: string;
  readonly pid: number;
  readonly log: readonly string[];
  readonly exited: Promise<Exit>;
  /** Sends a signal, default SIGTERM, and waits for the exit. */
  end(signal?: NodeJS.Signals): Promise<Exit>;
}

export interface SpawnOptions {
  /** Ctrl+C in the terminal does not reach it, so that its parent can stop it. */
  readonly detached?: boolean;
  readonly signal?: AbortSignal;
  readonly cwd?: string | undefined;
  /** The file that it runs; default: the gateway's own. */
  readonly main?: string | undefined;
  /** A command that runs it as its own process, with arguments, such as `prlimit --nofile=256`. */
  readonly through?: readonly string[] | undefined;
  /** It stops when this process ends, for whatever reason. */
  readonly endsWithUs?: boolean;
}

/** Starts a gateway with these settings. Rejects with its output if it cannot start, or not within a minute. */
export async function spawnGateway(
  settings: Readonly<Record<string, string>>,
  {
    detached = false,
    signal,
    cwd,
    through = [],
    endsWithUs = false,
    main = endsWithUs ? TETHERED_MAIN : MAIN,
  }: SpawnOptions = {},
): Promise<GatewayProcess> {
  const notifying = settings.NOTIFY_SOCKET ? ['perl', WITH_NOTIFY_SOCKET] : [];
  const [program = '', ...args] = [...through, ...notifying, process.execPath, main];
  const child = spawn(program, args, {
    stdio: [endsWithUs ? 'pipe' : 'ignore', 'pipe', 'pipe'],
    env: { ...ownEnvironment(), ...settings },
    detached,
    cwd,
  });
  child.stdin?.on('error', () => {}); // It has exited.
  const log: string[] = [];
  const exited = new Promise<Exit>((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })));
  const url = await listening(child, log, exited, { signal, cwd });
  return {
    url,
    pid: child.pid ?? 0,
    log,
    exited,
    end: (signal = 'SIGTERM') => {
      if (child.stdin) child.stdin.end();
      else child.kill(signal);
      return exited;
    },
  };
}

function listening(
  child: ChildProcess,
  log: string[],
  exited: Promise<Exit>,
  { signal, cwd }: { readonly signal: AbortSignal | undefined; readonly cwd: string | undefined },
): Promise<string> {
  return new Promise((resolve, reject) => {
    const fail = (why: string) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', callOff);
      child.kill('SIGKILL');
      reject(new Error([`the gateway ${why}`, ...log].join('\n')));
    };
    const timer = setTimeout(() => fail('did not start in time'), START_TIMEOUT_MS);
    const callOff = () => fail('start was cancelled');
    signal?.addEventListener('abort', callOff);
    const read = (line: string) => {
      log.push(line);
      const url = /"url":"([^"]+)".*"msg":"gateway listening"/.exec(line)?.[1];
      if (!url) return;
      clearTimeout(timer);
      signal?.removeEventListener('abort', callOff);
      resolve(url);
    };
    for (const stream of [child.stdout, child.stderr]) if (stream) createInterface({ input: stream }).on('line', read);
    // The message of Node names the program, even if only the folder is missing.
    const place = cwd === undefined ? '' : ` in ${cwd}`;
    child.once('error', ({ message }) => fail(`could not be started${place}: ${message}`));
    void exited.then(({ code, signal }) => fail(`exited during its start (${signal ?? `code ${code}`})`));
  });
}

/** Our environment without the settings of another gateway or of this process; only the browser's path is kept. */
function ownEnvironment(): NodeJS.ProcessEnv {
  const entries = Object.entries(process.env);
  return Object.fromEntries(
    entries.filter(([name]) => !/^(CHAT_WEB|NOTIFY|WATCHDOG|LISTEN)_/.test(name) || name === 'CHAT_WEB_BROWSER_PATH'),
  );
}
