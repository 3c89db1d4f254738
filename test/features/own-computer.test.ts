import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { argsOf, processIds } from '@chat-web/gateway/tools';
import { gatewayAddress } from '@chat-web/host/node';
import { createPasskey } from '@chat-web/simulator';
import { ADA, BEN, Display, eventually, figure, rounds, seconds } from '@chat-web/testing';
import { ownerPage, plugIn } from '@chat-web/testing/browser';
import { itInAllRounds } from '@chat-web/testing/hooks';
import { move, Stack } from '@chat-web/testing/stack';
import type { Browser, Page } from 'puppeteer';
import { expect, it } from 'vitest';
import { link } from '../../scripts/dist/link/link.js';

const LINK = fileURLToPath(new URL('../../scripts/dist/link/main.js', import.meta.url));
const TOKEN = 'sesame';
const SECOND = 1_000;
/** How often the moved session is restarted. */
const RUNS = rounds({ few: 2, all: 3 });

/** The computer of an account's owner: a display, a browser with an authenticator, and the command. */
class OwnComputer implements AsyncDisposable {
  readonly lines: string[] = [];
  readonly #display: Display;
  readonly #home = mkdtempSync(join(tmpdir(), 'chat-web-owner-'));
  #command: ChildProcess | undefined;
  #browser: Browser | undefined;

  private constructor(display: Display) {
    this.#display = display;
  }

  static async open(): Promise<OwnComputer> {
    return new OwnComputer(await Display.open());
  }

  /** Runs the command, until it ends or is killed. */
  link(to: Stack | string, session: string, settings: Readonly<Record<string, string>> = {}): Promise<number | null> {
    const command = this.#run(process.execPath, [LINK, ...argsFor(to, session)], to, settings);
    return once(command, 'exit').then(([code]) => code as number | null);
  }

  /** Runs the command at a terminal, which a SIGKILL closes. Resolves with its exit code only then. */
  async linkAtTerminal(to: Stack, session: string): Promise<number> {
    const file = join(this.#home, 'code');
    const command = [process.execPath, LINK, ...argsFor(to, session)].map((arg) => `'${arg}'`).join(' ');
    // Like an interactive shell, it forwards the hangup and survives it.
    const shell = `${command} & trap "kill -HUP $!" HUP; wait $!; wait $!; echo $? >'${file}'`;
    const terminal = this.#run('script', ['-qec', shell, '/dev/null'], to);
    await once(terminal, 'exit');
    await eventually(() => expect(readFileSync(file, 'utf8')).toMatch(/\n$/));
    return Number(readFileSync(file, 'utf8'));
  }

  #run(program: string, args: readonly string[], to: Stack | string, settings: Readonly<Record<string, string>> = {}) {
    const browserArgs = typeof to === 'string' ? [] : to.simulator.browserArgs;
    const command = spawn(program, args, {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: {
        ...process.env,
        DISPLAY: this.#display.name,
        XDG_STATE_HOME: this.#home,
        CHAT_WEB_TOKEN: TOKEN,
        // The test plays the owner, through a port that the command itself does not open.
        CHAT_WEB_BROWSER_ARGS: JSON.stringify([...browserArgs, '--remote-debugging-port=0']),
        ...settings,
      },
    });
    this.#command = command;
    createInterface({ input: command.stdout }).on('line', (line) => this.lines.push(line));
    return command;
  }

  interrupt(signal: NodeJS.Signals): void {
    this.#command?.kill(signal);
  }

  /** Resolves when the command has printed that. */
  printed(text: string | RegExp): Promise<void> {
    return eventually(() => expect(this.lines.join('\n')).toMatch(text));
  }

  /** The page in the window. */
  async page(): Promise<Page> {
    const page = await ownerPage(this.#home);
    this.#browser = page.browser();
    return page;
  }

  /** What is left on the disk. */
  #files(): string[] {
    return readdirSync(this.#home, { recursive: true }) as string[];
  }

  /** The command lines of all processes in its folder. */
  get processes(): string[] {
    return processIdsIn(this.#home).map(commandLineOf);
  }

  /** The processes behind the window, and those among them that have a token in clear. */
  get holders(): { readonly all: string[]; readonly ofTokens: string[] } {
    const others = processIds().filter((pid) => pid !== this.#command?.pid);
    const all = others.map(startOf).filter((text) => text.includes(this.#home));
    return { all, ofTokens: all.filter(hasToken) };
  }

  /** True if the command itself has the token in clear, as it must. */
  get hasToken(): boolean {
    return hasToken(startOf(this.#command?.pid ?? 0));
  }

  /** Kills the gateway behind the window. */
  killOwnGateway(): void {
    process.kill(ownGatewayIn(this.#home), 'SIGKILL');
  }

  get leftovers(): string[] {
    return this.#files().filter((path) => path.includes('sessions'));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser?.disconnect().catch(() => {});
    this.#command?.kill('SIGKILL');
    await this.#display[Symbol.asyncDispose]();
    rmSync(this.#home, { recursive: true, force: true, maxRetries: 5 });
  }
}

function argsFor(to: Stack | string, session: string): string[] {
  return ['--gateway', typeof to === 'string' ? to : to.gateway.url, '--session', session];
}

/** A server that does not respond. */
class MuteServer implements AsyncDisposable {
  readonly connected: Promise<unknown>;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    this.connected = once(server, 'connection');
  }

  static async listen(): Promise<MuteServer> {
    const server = createServer((socket) => socket.resume()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new MuteServer(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    await closed;
  }
}

function processIdsIn(folder: string): number[] {
  return processIds().filter((pid) => environmentOf(pid).includes(folder));
}

/** The process of the gateway behind the window. */
function ownGatewayIn(folder: string): number {
  const pid = processIdsIn(folder).find((one) => commandLineOf(one).includes('tethered-main'));
  if (pid === undefined) throw new Error('no gateway runs behind the window');
  return pid;
}

function commandLineOf(pid: number): string {
  return argsOf(pid, 1_024).join(' ');
}

function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8');
  } catch {
    return ''; // It has exited.
  }
}

/** The QR that the page shows, as its text. */
function qrOn(page: Page): Promise<string> {
  return eventually(async () => {
    const qr = await page.$eval('[data-ref]', (element) => element.getAttribute('data-ref'));
    if (!qr) throw new Error('there is no QR yet');
    return qr;
  });
}

async function answersPasskey(page: Page): Promise<void> {
  const button = await page.waitForSelector('[data-testid=shortcake_passkey_continue_button]');
  await button?.click();
}

/** What is printed if a session is kept on this computer. */
const KEPT =
  /session main is in (\/\S+\/links\/\w+), or on http\S+ by now: run this again to continue\nto give up the link instead: .* \1$/m;

/** The running command, once the account is linked on this computer. */
async function linked(
  computer: OwnComputer,
  stack: Stack,
  ended = computer.link(stack, 'main'),
): Promise<{ readonly ended: Promise<number | null> }> {
  await stack.phones.scan(ADA, await qrOn(await computer.page()));
  await computer.printed('its chats are loaded');
  return { ended };
}

/** What every process of the same user can read of another: its environment and its command line. */
const startOf = (pid: number) => `${environmentOf(pid)}\0${commandLineOf(pid)}`;
const hasToken = (text: string) => /TOKEN=(?!sha256:)/.test(text) || text.includes(TOKEN);

/** Runs the command again, and expects that it ends what an earlier run began, without another link. */
async function expectResumed(computer: OwnComputer, stack: Stack): Promise<void> {
  expect(await computer.link(stack, 'main')).toBe(0);
  await stack.untilStatus('main', 'ready');
  expect((await stack.phones.account(ADA)).devices).toHaveLength(1);
  expect(computer.leftovers).toEqual([]);
}

it("an account with a passkey is linked on its owner's computer, and runs on the gateway", async () => {
  await using stack = await Stack.start({ settings: { CHAT_WEB_TOKEN: TOKEN } });
  await using computer = await OwnComputer.open();
  const passkey = createPasskey();
  await stack.phones.registerPasskey(ADA, passkey.registration);
  const startedAt = performance.now();
  const ended = computer.link(stack, 'main');
  const page = await computer.page();
  await plugIn(page, passkey);
  await computer.printed('Scan the QR in the window');
  const { all, ofTokens } = computer.holders; // The gateway, a worker, and the processes of the browser.
  expect(all.length).toBeGreaterThan(1);
  expect(ofTokens).toEqual([]);
  expect(computer.hasToken).toBe(true);
  await stack.phones.scan(ADA, await qrOn(page));
  await computer.printed('asks for its passkey');
  await answersPasskey(page);
  expect(await ended).toBe(0);
  const tookMs = performance.now() - startedAt;
  expect(computer.lines.join('\n')).toMatch(/nothing .* is left/i);
  expect(computer.leftovers).toEqual([]);
  expect((await stack.phones.account(ADA)).devices).toHaveLength(1);

  const events = await stack.listen('main');
  for (let restart = 0; restart < RUNS; restart += 1) {
    await stack.untilStatus('main', 'ready');
    const { id } = await stack.client.sendMessage({ id: 'main', type: 'text', to: BEN, body: `out ${restart}` });
    await stack.onPhone(BEN, id);
    await stack.phones.send(BEN, { to: ADA, body: `in ${restart}` });
    await events.until('message', ({ body }) => body === `in ${restart}`);
    if (restart < RUNS - 1) await stack.client.restartSession({ id: 'main' });
  }
  expect(events.all('qr')).toEqual([]);
  expect((await stack.phones.account(ADA)).devices).toHaveLength(1);
  figure('link', `with a passkey, moved and ready on the gateway in ${seconds(tookMs)}`);
});

itInAllRounds('an interrupted link resumes where it stopped', async () => {
  await using stack = await Stack.start({ settings: { CHAT_WEB_TOKEN: TOKEN } });
  await using computer = await OwnComputer.open();
  const { ended: first } = await linked(computer, stack);
  computer.interrupt('SIGINT');
  expect(await first).toBe(130);
  await computer.printed(KEPT);
  expect(computer.lines.join('\n')).not.toContain('docs/moving.md'); // The local gateway has exited.
  await expectResumed(computer, stack);
});

itInAllRounds('a link whose terminal is closed stops cleanly, and resumes where it stopped', async () => {
  await using stack = await Stack.start({ settings: { CHAT_WEB_TOKEN: TOKEN } });
  await using computer = await OwnComputer.open();
  const { ended: first } = await linked(computer, stack, computer.linkAtTerminal(stack, 'main'));
  computer.interrupt('SIGKILL');
  expect(await first).toBe(130);
  expect(computer.processes).toEqual([]);
  await expectResumed(computer, stack);
});

itInAllRounds('a link whose command is killed leaves no process, and resumes where it stopped', async () => {
  await using stack = await Stack.start({ settings: { CHAT_WEB_TOKEN: TOKEN } });
  await using computer = await OwnComputer.open();
  const { ended: first } = await linked(computer, stack);
  computer.interrupt('SIGKILL');
  await first;
  await eventually(() => expect(computer.processes).toEqual([]));

  const second = computer.link(stack, 'main');
  await computer.printed('it is on http');
  computer.interrupt('SIGKILL'); // The gateway has the session, and there is a local copy.
  await second;
  await eventually(() => expect(computer.processes).toEqual([]));
  await stack.untilStatus('main', 'ready');
  await expectResumed(computer, stack);
});

itInAllRounds(
  'a link whose own gateway is killed reports what is left: nothing before the scan, later the session',
  async () => {
    await using stack = await Stack.start({ settings: { CHAT_WEB_TOKEN: TOKEN } });
    await using computer = await OwnComputer.open();
    const first = computer.link(stack, 'main');
    await computer.printed('Scan the QR in the window');
    computer.killOwnGateway();
    expect(await first).toBe(1);
    await computer.printed('run this again to start over');
    expect(computer.lines.join('\n')).not.toContain('the device on the phone');
    await eventually(() => expect(computer.processes).toEqual([]));
    expect(computer.leftovers).toEqual([]);

    const { ended: second } = await linked(computer, stack);
    computer.killOwnGateway();
    expect(await second).toBe(1);
    await computer.printed(KEPT);
    await eventually(() => expect(computer.processes).toEqual([]));
    expect(await computer.link(stack, 'main')).toBe(0);
    expect((await stack.phones.account(ADA)).devices).toHaveLength(1);
  },
);

itInAllRounds('a link that is interrupted during its first sync is lost, and reports it', async () => {
  const simulator = { syncDelayMs: 60 * SECOND, firstSyncMs: 120 * SECOND };
  await using stack = await Stack.start({ simulator, settings: { CHAT_WEB_TOKEN: TOKEN } });
  await using computer = await OwnComputer.open();
  const ended = computer.link(stack, 'main');
  await stack.phones.scan(ADA, await qrOn(await computer.page()));
  await computer.printed('The phone has scanned the QR');
  computer.interrupt('SIGINT');
  expect(await ended).toBe(130);
  await computer.printed(/the link is lost: remove the device on the phone\nnothing is left/);
  expect(computer.leftovers).toEqual([]);
});

itInAllRounds('a link can be interrupted while its gateway does not respond', async () => {
  await using computer = await OwnComputer.open();
  await using mute = await MuteServer.listen();
  const ended = computer.link(mute.url, 'main');
  await mute.connected;
  computer.interrupt('SIGINT');
  expect(await ended).toBe(130);
  expect(computer.processes).toEqual([]);
});

itInAllRounds('a link without a display fails, and reports what to do', async () => {
  await using stack = await Stack.start({ settings: { CHAT_WEB_TOKEN: TOKEN } });
  await using computer = await OwnComputer.open();
  expect(await computer.link(stack, 'main', { DISPLAY: '' })).toBe(1);
  await computer.printed(/failed: no window opens: run this on a desktop/);
});

itInAllRounds('a link to a gateway that would not take it is refused before a window opens', async () => {
  await using stack = await Stack.start({ settings: { CHAT_WEB_TOKEN: 'another' } });
  await using computer = await OwnComputer.open();
  expect(await computer.link(stack, 'main')).toBe(1);
  await computer.printed(/failed: .*does not accept the session/);
  expect(computer.lines.join()).not.toContain('window');
  await computer.printed(/nothing is left/);
  expect(computer.leftovers).toEqual([]);
});

/** Runs the command in this process, on the folder of a gateway from which the session has moved. */
async function linkFrom(gateway: Stack, folder: string, onLine: (line: string) => void = () => {}) {
  const lines: string[] = [];
  const { url } = gateway.gateway;
  const print = (line: string) => {
    lines.push(line);
    onLine(line);
  };
  const options = { gateway: { url, address: gatewayAddress({ url }) }, session: 'main', folder };
  const isDone = await link(options, { env: process.env, print, signal: new AbortController().signal });
  return { isDone, output: lines.join('\n') };
}

itInAllRounds('a link that was interrupted after its session had arrived leaves nothing on this computer', async () => {
  await using own = await Stack.start();
  await using gateway = await Stack.start({ sharesSimulatorOf: own });
  await own.link('main', ADA);
  await move(own, gateway, 'main');
  await own.gateway.end('SIGKILL');
  const { isDone, output } = await linkFrom(gateway, own.dataDir);
  expect(isDone, output).toBe(true);
  expect(existsSync(own.dataDir)).toBe(false);
  await gateway.untilStatus('main', 'ready');
});

itInAllRounds(
  'a link that fails after its session has arrived reports that it runs there, and no unlinking',
  async () => {
    await using own = await Stack.start();
    await using gateway = await Stack.start({ sharesSimulatorOf: own });
    await own.link('main', ADA);
    await move(own, gateway, 'main');
    await own.gateway.end('SIGKILL');
    const expectOutput = (output: string, folder: string) => {
      expect(output).toContain(
        `session main runs on ${gateway.gateway.url}: keep its device on the phone, and remove ${folder}`,
      );
      expect(output).not.toMatch(/unlink|lost|remove the device|run this again/);
    };
    const killed = await linkFrom(gateway, own.dataDir, (line) => {
      if (line.includes('ready on')) process.kill(ownGatewayIn(own.dataDir), 'SIGKILL');
    });
    expect(killed.isDone).toBe(false);
    expectOutput(killed.output, own.dataDir);

    const folder = `${own.dataDir}/.`; // The system cannot remove a folder by such a path.
    const kept = await linkFrom(gateway, folder);
    expect(kept.isDone).toBe(false);
    expectOutput(kept.output, folder);
    expect(existsSync(own.dataDir)).toBe(true);
    await gateway.untilStatus('main', 'ready');
    expect((await own.phones.account(ADA)).devices).toHaveLength(1);
  },
);
