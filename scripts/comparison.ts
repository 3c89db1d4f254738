import { readFileSync } from 'node:fs';
import { eventData, type Operation, operations } from '@chat-web/protocol';
import * as v from 'valibot';

/** What others offer, as it was read in their documentation and sources on a day. */
const comparison = v.object({
  read: v.pipe(v.string(), v.isoDate()),
  peers: v.array(v.object({ name: v.string(), version: v.string() })),
  sections: v.array(
    v.object({
      title: v.string(),
      rows: v.array(
        v.object({
          capability: v.string(),
          /** Operations by name; `sendMessage.poll` is a type or a field of its body. */
          operations: v.optional(v.array(v.string())),
          events: v.optional(v.array(v.string())),
          /** Where neither says it. */
          ours: v.optional(v.string()),
          peers: v.array(v.picklist(['yes', 'no', 'part', 'unknown'])),
        }),
      ),
    }),
  ),
});

/** The page that compares what can be done with what others offer. The gateway's column follows from its operations and events. */
export function comparisonPage(): string {
  const written: unknown = JSON.parse(readFileSync('docs/comparison.json', 'utf8'));
  const { read, peers, sections } = v.parse(comparison, written);
  const names = peers.map(({ name }) => name);
  const head = `| | this gateway | ${names.join(' | ')} |\n|---|${'---|'.repeat(peers.length + 1)}`;
  const parts = sections.map(({ title, rows }) => {
    const lines = rows.map(({ capability, peers: cells, ...row }) => {
      return `| ${capability} | ${oursOf(row)} | ${cells.join(' | ')} |`;
    });
    return `## ${title}\n\n${head}\n${lines.join('\n')}\n`;
  });
  const versions = peers.map(({ name, version }) => `${name} ${version}`).join(', ');
  return `# Comparison

The other gateways were read on ${read}, in their documentation and sources: ${versions}. \`part\`: with limits, or only
some of it; \`unknown\`: not found in what was read. Some need a certain engine. This gateway's column is made from its
operations and events by \`npm run reference\`.

${parts.join('\n')}`;
}

interface Ours {
  readonly operations?: readonly string[] | undefined;
  readonly events?: readonly string[] | undefined;
  readonly ours?: string | undefined;
}

function oursOf({ operations: asked = [], events = [], ours }: Ours): string {
  if (ours !== undefined) return ours;
  const all = [...asked.map((name) => [name, hasOperation(name)]), ...events.map((name) => [name, name in eventData])];
  const has = all.filter(([, isThere]) => isThere).map(([name]) => `\`${name}\``);
  if (has.length === 0) return 'no';
  return `${has.length === all.length ? 'yes' : 'part'}: ${has.join(', ')}`;
}

/** Whether there is that operation, with that type or field of its body. */
function hasOperation(written: string): boolean {
  const [name = '', part] = written.split('.');
  const operation = (operations as Readonly<Record<string, Operation>>)[name];
  if (!operation || part === undefined) return operation !== undefined;
  interface Schema {
    readonly options?: readonly Schema[];
    readonly entries?: Readonly<Record<string, { readonly literal?: unknown; readonly options?: readonly unknown[] }>>;
  }
  const body = operation.body as Schema | undefined;
  return (body?.options ?? [body]).some((schema) => {
    const { [part]: field, type } = schema?.entries ?? {};
    return field !== undefined || type?.literal === part || type?.options?.includes(part) === true;
  });
}
