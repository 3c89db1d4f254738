import type { Call } from '../control/call.ts';
import { calls } from '../control/calls.ts';

/** More fields than this have their own table in the README. */
const mostFields = 12;

interface ObjectSchema {
  readonly entries: Readonly<Record<string, { readonly type: string }>>;
}

/** The table of the control API, as the README has it. */
export function callTable(): string {
  const rows = Object.entries<Call>(calls).map(([name, { method, path, fields, does }]) => [
    `${method} \`${path.replaceAll(/:(\w+)/g, '{$1}')}\``,
    `\`${name}\``,
    fieldsOf(fields),
    does,
  ]);
  const head = ['Request', 'Client', 'Fields', 'What it does'];
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function fieldsOf(schema: Call['fields']): string {
  const variants = 'options' in schema ? (schema.options as ObjectSchema[]) : [schema as object as ObjectSchema];
  const names = new Set(variants.flatMap(({ entries }) => Object.keys(entries)));
  const isRequired = (name: string) =>
    variants.every(({ entries }) => entries[name] && entries[name].type !== 'optional');
  if (names.size > mostFields) return 'see below';
  return [...names].map((name) => `\`${name}${isRequired(name) ? '' : '?'}\``).join(', ');
}
