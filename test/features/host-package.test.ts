import { execFile } from 'node:child_process';
import { cp, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { temporaryFolder } from '@chat-web/testing';
import { sharedFolder } from '@chat-web/testing/hooks';
import { sharedGateway } from '@chat-web/testing/story';
import { rolldown } from 'rolldown';
import { beforeAll, describe, expect, it } from 'vitest';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');
const TOKEN = 'sesame';

const gateway = sharedGateway({ settings: { CHAT_WEB_TOKEN: TOKEN } });
/** A project with nothing but the packages. */
const project = sharedFolder();

beforeAll(async () => {
  await writeFile(join(project, 'package.json'), '{"type":"module"}');
  const packages = await packed('-w', '@chat-web/protocol', '-w', '@chat-web/host');
  // The dependencies that a registry would answer with.
  const others = ['eventsource-parser', 'lru-cache', 'valibot', 'hono'].map(installedFolder);
  const dependencies = await packed('--ignore-scripts', ...(await Promise.all(others)));
  const quiet = ['--offline', '--ignore-scripts', '--no-audit', '--no-fund'];
  await run('npm', ['install', ...quiet, ...packages, ...dependencies], { cwd: project });
});

/** Runs `npm pack` in the repository, and returns the paths of the tarballs. */
async function packed(...args: readonly string[]): Promise<string[]> {
  const { stdout } = await run('npm', ['pack', ...args, '--pack-destination', project, '--json', '--silent'], {
    cwd: ROOT,
  });
  return (JSON.parse(stdout) as { readonly filename: string }[]).map(({ filename }) => join(project, filename));
}

/** Where a dependency of the host is installed: the version of the package itself where it has one. */
async function installedFolder(name: string): Promise<string> {
  const own = join(ROOT, 'packages/host/node_modules', name);
  const hasOwn = await readdir(own).catch(() => undefined);
  return hasOwn ? own : join(ROOT, 'node_modules', name);
}

const compile = (dir: string, options: object, files: readonly string[]) =>
  writeFile(
    join(dir, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: { strict: true, noEmit: true, target: 'es2023', ...options }, files }),
  )
    .then(() => run(process.execPath, [TSC, '-p', dir]))
    .catch((error: { stdout: string }) => {
      throw new Error(error.stdout);
    });

const PROGRAM = `
import { createClient, createCloudWebhook, createWebhookReceiver, GatewayError, listen } from '@chat-web/host';
import { cloudWebhookApp } from '@chat-web/host/hono';

const address = { url: 'http://127.0.0.1:3000', token: 'x' };
const client = createClient(address, { retries: 5, onRetry: ({ error }) => console.log(error.code) });
const sent = await client.sendMessage({ id: 'main', type: 'text', to: '1', body: 'x' }, { idempotencyKey: 'k' });
const id: string = sent.id;
const { sessions } = await client.listSessions();
const status: 'ready' | string | undefined = sessions[0]?.status;
await client.sendMessage({ id: 'main', type: 'image', to: '1', base64: new Uint8Array(3) });
// @ts-expect-error: a field is missing
await client.sendMessage({ id: 'main', type: 'text', to: '1' });
// @ts-expect-error: there is no such operation
await client.sendMail({ id: 'main' });
for await (const event of listen(address, { sessions: 'main' }))
  if (event.name === 'message') {
    const body: string = event.data.body;
    // @ts-expect-error: a number
    const wrong: string = event.data.timestamp;
    console.log(body, wrong);
  }
createWebhookReceiver({ secrets: 'whsec_x', onEvent: (event) => console.log(event.name, event.session) });
createCloudWebhook({ verifyToken: 'x', appSecret: 'y', onEvent: (event) => console.log(event.name) });
console.log(id, status, cloudWebhookApp, new GatewayError('rate_limited', 'x').status);
`;

/** What an application exports that emits declarations, such as a package of a monorepo: each type needs a name. */
const EXPORTING = `
import { createCachedClient, createClient, createCloudWebhook, createWebhookReceiver, listen } from '@chat-web/host';
import { openEventStream, sendText, verifyWebhook } from '@chat-web/host';
import type { AnswerOf, InputOf } from '@chat-web/host';
import { cloudWebhookApp } from '@chat-web/host/hono';

const address = { url: 'http://127.0.0.1:3000' };
export const client = createClient(address);
export const send = client.sendMessage;
export const chats = () => client.listChats({ id: 'main' });
export const media = () => client.getMedia({ id: 'main', messageId: 'x' });
export const statuses = () => client.getSessionStatus({ id: 'main' });
export const cached = createCachedClient(client);
export const listener = listen(address, { sessions: 'main' });
export const events = () => listener[Symbol.asyncIterator]().next();
export const stream = () => openEventStream(address, 'main', AbortSignal.timeout(1));
export const receiver = createWebhookReceiver({ secrets: 'whsec_x', onEvent: () => {} });
export const verify = () => verifyWebhook(new Headers(), '', 'whsec_x');
export const webhook = createCloudWebhook({ verifyToken: 'x', appSecret: 'y', onEvent: () => {} });
export const app = cloudWebhookApp(webhook);
export const text = () => sendText(client, { id: 'main', type: 'text', to: '1', body: 'x' });
export const inputs = (input: InputOf<'sendMessage'>): AnswerOf<'sendMessage'> | typeof input => input;
`;

const PAGES = ['README', 'docs/client', 'docs/listener', 'docs/sending', 'docs/caches', 'docs/webhook-receiver'];

/** What the pages leave to the application, or define in an earlier block. */
const ASSUMED = `
declare const gateway: { url: string };
declare const client: ReturnType<typeof import('@chat-web/host').createClient>;
declare const listen: typeof import('@chat-web/host').listen;
declare const sendText: typeof import('@chat-web/host').sendText;
declare const filePosition: typeof import('@chat-web/host/node').filePosition;
declare const webhook: ReturnType<typeof import('@chat-web/host/node').cloudWebhookFromEnv>;
declare const writeFile: typeof import('node:fs/promises').writeFile;
declare const openAsBlob: typeof import('node:fs').openAsBlob;
declare const messageId: string, to: string, rawBody: string, request: Request;
declare const app: any, db: any;
declare function storeMessage(session: string, data: { body: string }): Promise<void>;
declare function storeAck(id: string, ack: number): void;
declare function storeForLater(event: object): Promise<void>;
declare function insertMessage(session: string, data: { body: string }): void;
declare function store(...columns: (string | null | undefined)[]): Promise<void>;
declare function markFailed(id: string, errors: unknown): Promise<void>;
declare function alert(text: string): void;
declare function reconcile(session: string | undefined, data: object): void;
`;

describe('the package', () => {
  it.each(['host', 'protocol'])('%s is its code, types and sources', async (name) => {
    const installed = join(project, 'node_modules/@chat-web', name);
    const all = (await readdir(installed, { recursive: true, withFileTypes: true })).filter((one) => one.isFile());
    const files = all.map((one) => relative(installed, join(one.parentPath, one.name)));
    const others = files.filter((file) => !/^(dist\/.*\.(js|js\.map|d\.ts)|src\/.*\.ts)$/.test(file));
    expect(others.sort()).toEqual(['LICENSE', 'NOTICE', 'README.md', 'package.json']);
    expect(files.filter((file) => /\.test\.|testing\//.test(file))).toEqual([]);
    expect(files).toContain('src/index.ts'); // The maps name it.
  });

  it('has three dependencies, and needs the protocol of its own version', async () => {
    const { version, dependencies } = JSON.parse(
      await readFile(join(project, 'node_modules/@chat-web/host/package.json'), 'utf8'),
    );
    const { '@chat-web/protocol': protocol, ...others } = dependencies;
    expect(protocol).toBe(version);
    expect(Object.keys(others)).toEqual(['eventsource-parser', 'lru-cache', 'valibot']);
  });

  it.each(['nodenext', 'bundler'])('has types that compile (%s), without those of Node', async (moduleResolution) => {
    await writeFile(join(project, 'program.ts'), PROGRAM);
    const module = moduleResolution === 'bundler' ? 'esnext' : 'nodenext';
    const lib = ['es2024', 'dom', 'dom.iterable', 'dom.asynciterable'];
    await compile(project, { module, moduleResolution, lib, types: [], skipLibCheck: false }, ['program.ts']);
  });

  it('names each type that an application exports, and keeps the doc comments', async () => {
    await writeFile(join(project, 'exporting.ts'), EXPORTING);
    const lib = ['es2024', 'dom', 'dom.iterable', 'dom.asynciterable'];
    const emits = { noEmit: false, declaration: true, emitDeclarationOnly: true, outDir: join(project, 'types') };
    await compile(project, { module: 'nodenext', lib, types: [], ...emits }, ['exporting.ts']);
    const types = await readFile(join(project, 'types/exporting.d.ts'), 'utf8');
    expect(types).not.toMatch(/node_modules|\bany\b/);
    expect(types).toContain('OperationMethods');
    const shown = await readFile(join(project, 'node_modules/@chat-web/host/dist/client.d.ts'), 'utf8');
    expect(shown).toContain('@example');
  });

  it('has examples in the docs that compile', async () => {
    const files = ['assumed.d.ts'];
    await writeFile(join(project, 'assumed.d.ts'), ASSUMED);
    for (const name of ['@types', '@hono'])
      await symlink(join(ROOT, 'node_modules', name), join(project, 'node_modules', name));
    for (const page of [...PAGES, 'docs/cloud-webhooks']) {
      const text = await readFile(join(ROOT, `${page}.md`), 'utf8');
      for (const [n, [, block]] of [...text.matchAll(/```ts\n(.*?)```/gs)].entries()) {
        const name = `${page.replace('/', '-')}-${n}.ts`;
        await writeFile(join(project, name), `${block}\nexport {};\n`);
        files.push(name);
      }
    }
    expect(files.length).toBeGreaterThan(12);
    await compile(project, { module: 'nodenext', types: ['node'], noImplicitAny: false, skipLibCheck: true }, files);
  });

  it('imports Node modules only from its entry for Node', async () => {
    for (const [entry, isForNode] of [
      ['index', false],
      ['hono', false],
      ['node', true],
    ] as const) {
      const input = join(project, `node_modules/@chat-web/host/dist/${entry}.js`);
      const bundle = await rolldown({ input, platform: 'browser', external: [/^node:/], logLevel: 'silent' });
      const { output } = await bundle.generate({ format: 'esm' });
      const imports = output.flatMap((chunk) =>
        chunk.type === 'chunk' ? [...chunk.imports, ...chunk.dynamicImports] : [],
      );
      expect([entry, imports.length > 0]).toEqual([entry, isForNode]);
    }
  });

  it('runs in a separate program, by import and by require', async () => {
    const call = `createClient({ url: ${JSON.stringify(gateway.url)}, token: '${TOKEN}' }).listSessions()`;
    const print = '.then((answer) => console.log(JSON.stringify(answer)))';
    await writeFile(join(project, 'a.mjs'), `import { createClient } from '@chat-web/host';\n${call}${print};`);
    await writeFile(join(project, 'b.cjs'), `const { createClient } = require('@chat-web/host');\n${call}${print};`);
    for (const file of ['a.mjs', 'b.cjs']) {
      const { stdout } = await run(process.execPath, [join(project, file)]);
      expect([file, JSON.parse(stdout)]).toEqual([file, { sessions: [] }]);
    }
  });
});

describe('a new row of the table', () => {
  it('is a typed method of the client, without a change in the host package', async () => {
    using folder = temporaryFolder();
    const dir = folder.path;
    for (const name of ['protocol', 'host'])
      await cp(join(ROOT, 'packages', name, 'src'), join(dir, name), {
        recursive: true,
        filter: (path) => !path.endsWith('.test.ts'),
      });
    await symlink(join(ROOT, 'node_modules'), join(dir, 'node_modules'));
    await symlink(join(ROOT, 'packages/host/node_modules'), join(dir, 'host/node_modules'));
    const table = join(dir, 'protocol/operations/chats.ts');
    const row = `sortChat: {
      summary: 'Sort a chat', method: 'POST', path: '/sessions/:id/chats/:chatId/sort', scope: 'send',
      params: ofChat, body: v.object({ until: v.optional(v.number()) }),
      answer: v.object({ chatId: v.string(), sorted: v.boolean() }), errors: [], timeoutMs: 1_000,
      examples: { known: { id: 'main', chatId: 'x' } },
    },`;
    const text = await readFile(table, 'utf8');
    await writeFile(table, text.replace('chatChangeOperations = {', `chatChangeOperations = {\n${row}`));
    await writeFile(join(dir, 'package.json'), '{"type":"module"}');
    await writeFile(
      join(dir, 'program.ts'),
      `import { createClient } from './host/index.ts';
      const client = createClient({ url: 'http://127.0.0.1:3000' });
      const { sorted } = await client.sortChat({ id: 'main', chatId: 'x', until: 5 }, { timeoutMs: 100 });
      const is: boolean = sorted;
      // @ts-expect-error: a field of the path is missing
      await client.sortChat({ id: 'main' });
      // @ts-expect-error: it is no send
      await client.sortChat({ id: 'main', chatId: 'x' }, { idempotencyKey: 'k' });
      console.log(is);`,
    );
    const paths = { '@chat-web/protocol': ['./protocol/index.ts'] };
    const options = {
      target: 'es2024',
      module: 'nodenext',
      lib: ['es2024'],
      types: ['node'],
      allowImportingTsExtensions: true,
      paths,
    };
    await compile(dir, { ...options, skipLibCheck: true }, ['program.ts']);
  });
});
