import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { operations } from '@chat-web/protocol';
import { ADA } from '@chat-web/testing';
import { prepareExamples } from '@chat-web/testing/stack';
import { sharedStack } from '@chat-web/testing/story';
import { afterAll, beforeAll, expect, it } from 'vitest';

const NEWMAN = resolve('build/newman/node_modules/newman/bin/newman.js');
const TOKEN = 'sesame';

/** They end what others need, stand for ids or addresses of one's own, or are answered as a stream. */
const LEFT_OUT = new Set<string>(
  [
    'restartSession stopSession logoutSession deleteSession exportSession importSession requestPairingCode',
    'deleteKey events allEvents metrics docs console setProfileName numbersExist unfollowChannel rejectCall getQr createWebhook',
  ].flatMap((names) => names.split(' ')),
);
const BY_ID = /\/(webhooks|keys|hosts|moves)\/|\/elsewhere\/|\/hosts\/|\/move$/;

interface Item {
  readonly name: string;
  readonly request: { readonly method: string; readonly url: { readonly raw: string } };
}
interface Collection {
  readonly item: readonly { readonly name: string; readonly item: readonly Item[] }[];
}
interface Execution {
  readonly item: { readonly name: string };
  readonly response?: { readonly code: number };
  readonly requestError?: { readonly message: string };
}

const stack = sharedStack({ settings: { CHAT_WEB_TOKEN: TOKEN } });
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chat-web-postman-'));
  await prepareExamples(stack.phones, ADA);
  await stack.linkLongAgo('main', ADA);
});
afterAll(() => rm(folder, { recursive: true }));

it('each request of the collection is accepted as it is', async () => {
  const collection = JSON.parse(await readFile('build/postman.json', 'utf8')) as Collection;
  const all = collection.item.flatMap(({ item }) => item);
  const operationOf = ({ name }: Item) => name.split(':')[0] ?? '';
  const known = new Set(all.map(operationOf));
  for (const name of Object.keys(operations)) expect(known).toContain(name);

  // What reads comes first: changes remove what it names.
  const rank = ({ request: { method } }: Item) => ['GET', 'PUT', 'POST', 'DELETE'].indexOf(method);
  const asked = all
    .filter((item) => !LEFT_OUT.has(operationOf(item)) && !BY_ID.test(`${item.request.url.raw}/`.replace(/\/$/, '')))
    .toSorted((one, other) => rank(one) - rank(other));
  expect(asked.length).toBeGreaterThan(90);
  const [file, report] = [join(folder, 'collection.json'), join(folder, 'report.json')];
  await writeFile(file, JSON.stringify({ ...collection, item: asked }));
  const variables = ['--env-var', `url=${stack.gateway.url}`, '--env-var', `token=${TOKEN}`];
  const reporters = ['--reporters', 'json', '--reporter-json-export', report];
  await promisify(execFile)(process.execPath, [NEWMAN, 'run', file, ...variables, ...reporters]);
  const { run } = JSON.parse(await readFile(report, 'utf8')) as { run: { executions: Execution[] } };
  expect(run.executions).toHaveLength(asked.length);
  const refused = run.executions
    .filter(({ response }) => !response || response.code >= 400)
    .map(({ item, response, requestError }) => `${item.name}: ${response?.code ?? requestError?.message}`);
  expect(refused).toEqual([]);
});
