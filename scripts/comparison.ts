import { readFileSync } from 'node:fs';
import { eventData, type Operation, operations } from '@chat-web/protocol';
import * as v from 'valibot';

const row = v.pipe(
  v.strictObject({
    capability: v.string(),
    /** Operations by name; `sendMessage.poll` is a type or a field of its body. */
    operations: v.optional(v.array(v.string())),
    events: v.optional(v.array(v.string())),
    /** The limitation, if the capability is partial. */
    part: v.optional(v.string()),
    /** The gateway's column, if it does not follow from operations and events. */
    ours: v.optional(v.string()),
    peers: v.array(v.picklist(['yes', 'no', 'part', 'unknown'])),
  }),
  v.check(
    ({ operations: named = [], events = [], part, ours }) =>
      named.length + events.length > 0 ? ours === undefined : ours !== undefined && part === undefined,
    'must have either operations and events, or ours',
  ),
);

/** What other gateways offer, according to their documentation and sources on that day. */
const comparison = v.strictObject({
  read: v.pipe(v.string(), v.isoDate()),
  peers: v.array(v.strictObject({ name: v.string(), version: v.string() })),
  sections: v.array(v.strictObject({ title: v.string(), rows: v.array(row) })),
});

/** The content of docs/comparison.json. */
export function writtenComparison(): unknown {
  return JSON.parse(readFileSync('docs/comparison.json', 'utf8'));
}

/**
 * The page that compares the gateway with others. The gateway's column is derived from its operations and events.
 * Throws an Error that names an operation or event that does not exist.
 */
export function comparisonPage(written: unknown = writtenComparison()): string {
  const { read, peers, sections } = v.parse(comparison, written);
  const names = peers.map(({ name }) => name);
  const head = `| | this gateway | ${names.join(' | ')} |\n|---|${'---|'.repeat(peers.length + 1)}`;
  const parts = sections.map(({ title, rows }) => {
    const lines = rows.map((one) => `| ${one.capability} | ${oursOf(one)} | ${one.peers.join(' | ')} |`);
    return `## ${title}\n\n${head}\n${lines.join('\n')}\n`;
  });
  const versions = peers.map(({ name, version }) => `${name} ${version}`).join(', ');
  return `# Comparison

The other gateways were read on ${read}, in their documentation and sources: ${versions}. \`part\`: with limits, or only
some of it; \`unknown\`: not found in what was read. Some need a certain engine. This gateway's column is made from its
operations and events by \`npm run reference\`.

${parts.join('\n')}`;
}

function oursOf({ capability, operations: asked = [], events = [], part, ours }: v.InferOutput<typeof row>): string {
  if (ours !== undefined) return ours;
  const unknown = [
    ...asked.filter((name) => !hasOperation(name)),
    ...events.filter((name) => !Object.hasOwn(eventData, name)),
  ];
  if (unknown.length > 0)
    throw new Error(`docs/comparison.json, ${capability}: there is no operation or event ${unknown.join(', ')}`);
  const has = [...asked, ...events].map((name) => `\`${name}\``);
  return `${part === undefined ? 'yes' : 'part'}: ${has.join(', ')}${part === undefined ? '' : ` (${part})`}`;
}

/** Whether this operation exists, with this type or field of its body. */
function hasOperation(written: string): boolean {
  const [name = '', part] = written.split('.');
  if (!Object.hasOwn(operations, name)) return false;
  if (part === undefined) return true;
  interface Schema {
    readonly options?: readonly Schema[];
    readonly entries?: Readonly<Record<string, { readonly literal?: unknown; readonly options?: readonly unknown[] }>>;
  }
  const body = (operations as Readonly<Record<string, Operation>>)[name]?.body as Schema | undefined;
  return (body?.options ?? [body]).some((schema) => {
    const { [part]: field, type } = schema?.entries ?? {};
    return field !== undefined || type?.literal === part || type?.options?.includes(part) === true;
  });
}
