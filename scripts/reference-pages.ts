import { readFileSync } from 'node:fs';
import {
  changesSomething,
  type ErrorCode,
  errorTable,
  isRepeatable,
  type Operation,
  type OtherRoute,
  operationGroups,
  operations,
  otherRoutes,
  SHARED_ERRORS,
} from '@chat-web/protocol';
import { answerToRefusal, REFUSABLE } from '@chat-web/worker/refusals';

const EXPLAINED = {
  Sessions: '[sessions](accounts.md#sessions)',
  Messages: '[sending](sending.md), [messages](messages.md)',
  Groups: '[groups](groups.md)',
  Chats: '[chats](messages.md#chats), [presence](messages.md#presence)',
  Labels: '[labels](accounts.md#labels)',
  Contacts: '[contacts](accounts.md#contacts)',
  'Status feed': '[status feed](messages.md#status-feed)',
  Account: '[profile](accounts.md#profile), [privacy](accounts.md#privacy)',
  Channels: '[channels](messages.md#channels)',
  Calls: '[calls](accounts.md#calls)',
  Webhooks: '[webhooks](webhooks.md)',
  Keys: '[access](access.md)',
  Host: '[supervision](supervision.md#host-history)',
  Events: '[events](events.md#in-a-browser)',
} as const satisfies Record<keyof typeof operationGroups, string>;

/** The errors of operations on a session that must be ready. */
const NEEDS_READY: readonly ErrorCode[] = ['session_not_found', 'session_not_ready', 'client_failed'];
const lostWith = (operation: Operation): ErrorCode =>
  changesSomething(operation) ? 'outcome_unknown' : 'session_lost';

/** The pages of docs/ that are derived from the code, wholly or in part: their paths, and what they must contain. */
export function referencePages(): ReadonlyMap<string, string> {
  return new Map([
    ['docs/operations.md', operationsPage()],
    ['docs/client.md', withRows('docs/client.md', methodRows())],
    ['docs/errors.md', withRefusals(withRows('docs/errors.md', errorRows()))],
  ]);
}

function operationsPage(): string {
  const groups = Object.entries<Readonly<Record<string, Operation>>>(operationGroups).map(([title, group]) => ({
    title,
    needsReady: Object.values(group).every((operation) => isOfReady(operation)),
    table: `## ${title}

Explained in ${EXPLAINED[title as keyof typeof EXPLAINED]}.

| Operation | Route | What it does | Scope | Errors |
|---|---|---|---|---|
${Object.entries(group).map(operationRow).join('\n')}
`,
  }));
  const ofReady = groups.filter(({ needsReady }) => needsReady).map(({ title }) => title);
  const others = Object.values<OtherRoute>(otherRoutes).map(({ path, summary, scope }) =>
    tableRow([code(routeOf('GET', path.replace('/*', ''))), summary, scope === 'anyone' ? '' : code(scope)]),
  );
  return `# Operations

\`npm run reference\` writes this page from the table in \`packages/protocol/src/operations\`. A running gateway describes
each operation with its fields, limits and examples at \`GET /openapi.json\`, and at \`/docs\` as a web page with a form
for each call. An operation has the same name in the [client](client.md).

Request and response bodies are JSON, except for media, archives and the PNG of a QR. A session id has 1 to 64
characters of \`A-Z a-z 0-9 _ -\`. The scope is the one that a [key](access.md) needs; \`operator\` means that only the
token has access.

## Shared errors

The tables of operations list only errors that are not in this one. [Errors](errors.md) explains each code.

| Operations | Errors |
|---|---|
| all | ${codes(SHARED_ERRORS.all)} |
| with a body | ${codes(SHARED_ERRORS.withBody)} |
| that answer with media | ${codes(SHARED_ERRORS.withMedia)} |
| that require scope \`send\` | ${codes(SHARED_ERRORS.sending)} |
| with an [\`Idempotency-Key\`](sending.md#sending-once) | ${codes(SHARED_ERRORS.keyed)} |
| of the session's worker: \`requestPairingCode\`, and all of ${ofReady.join(', ')} | ${codes(SHARED_ERRORS.ofWorker)} |
| all of ${ofReady.join(', ')} | ${codes(NEEDS_READY)}; \`session_lost\` if it only reads, otherwise \`outcome_unknown\` |

${groups.map(({ table }) => table).join('\n')}
## Other routes

| Route | What it does | Scope |
|---|---|---|
${others.join('\n')}
`;
}

function operationRow([name, operation]: [string, Operation]): string {
  const { method, path, summary, scope, errors } = operation;
  const shared = isOfReady(operation) ? [...NEEDS_READY, lostWith(operation)] : [];
  const own = errors.filter((one) => !shared.includes(one));
  return tableRow([code(name), code(routeOf(method, path)), summary, code(scope), codes(own)]);
}

/** True if the operation needs a session that is ready, and its worker. */
function isOfReady(operation: Operation): boolean {
  return [...NEEDS_READY, lostWith(operation)].every((one) => operation.errors.includes(one));
}

function methodRows(): string[] {
  return Object.entries<Operation>(operations).map(([name, operation]) => {
    const { method, path, scope, keyed } = operation;
    const retried = isRepeatable(operation, true) ? `yes${keyed ? ', under a key' : ''}` : 'if refused';
    return tableRow([code(name), code(routeOf(method, path)), code(scope), retried]);
  });
}

function errorRows(): string[] {
  return Object.entries(errorTable).map(([name, { status, when }]) => tableRow([String(status), code(name), when]));
}

const REFUSALS = { '401, 403': 403, '429, 463, 475': 429, 'other codes below 500': 400, '500 and above': 500 };

/** How each changing operation answers the refusals of the network: those with the same answers in one row. */
function withRefusals(page: string): string {
  const groups = new Map<string, string[]>();
  for (const name of REFUSABLE) {
    const answers = Object.values(REFUSALS).map((refusal) => answerToRefusal(name, refusal));
    const cells = answers.map((answer) => (answer ? code(answer) : 'success')).join(' | ');
    groups.set(cells, [...(groups.get(cells) ?? []), name]);
  }
  const head = ['Operations', ...Object.keys(REFUSALS)];
  const rows = [...groups].map(([cells, names]) => tableRow([codes(names), cells]));
  const [before = '', after = ''] = page.split(/(?<=<!-- refusals -->\n)[\s\S]*?(?=\n\n)/);
  return `${before}${[tableRow(head), `|${'---|'.repeat(head.length)}`, ...rows].join('\n')}${after}`;
}

/** The page with these rows in its table of methods or errors. */
function withRows(file: string, rows: readonly string[]): string {
  const lines = readFileSync(file, 'utf8').split('\n');
  const isRow = (line: string) => /^\| (`\w+` \| `[A-Z]+ \/|\d{3} \| `)/.test(line);
  const first = lines.findIndex(isRow);
  const others = lines.filter((line) => !isRow(line));
  return [...others.slice(0, first), ...rows, ...others.slice(first)].join('\n');
}

const tableRow = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
const code = (text: string) => `\`${text}\``;
const codes = (all: readonly string[]) => all.map(code).join(', ');
const routeOf = (method: string, path: string) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`;
