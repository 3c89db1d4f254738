import type { FieldIssue } from '@chat-web/protocol';
import { distance } from 'fastest-levenshtein';
import * as v from 'valibot';

/** The issues of an input in our own words: the schema library's messages would repeat the values sent. */
export function fieldIssues(schema: v.GenericSchema, issues: readonly v.BaseIssue<unknown>[]): FieldIssue[] {
  return issues.map((issue) => {
    if (issue.type === 'strict_object' && issue.expected === 'never')
      return unknownField(v.getDotPath(issue) ?? '', issue.path ?? [], schema);
    return { path: pathIn(schema, issue.path ?? []), message: issueText(issue) };
  });
}

const EXPECTED: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  boolean: 'true or false',
  Array: 'an array',
  Object: 'a JSON object',
};

function issueText({ kind, message, received, expected }: v.BaseIssue<unknown>): string {
  if (kind !== 'schema') return message;
  if (received === 'undefined') return 'is required';
  // The text of a schema of ours; the library's own begins like this.
  if (!message.startsWith('Invalid ')) return message;
  if (expected?.includes(' | ')) return `must be one of ${expected.replace(/[()]/g, '').replaceAll(' | ', ', ')}`;
  return expected ? `must be ${EXPECTED[expected] ?? expected}` : 'is invalid';
}

/** Ends before a name that the caller has chosen, unless it is a word: it is a value sent, too. */
function pathIn(schema: AnySchema, keys: readonly v.IssuePathItem[]): string {
  const path: unknown[] = [];
  let holders: readonly AnySchema[] = [schema];
  for (const { key } of keys) {
    holders = inside(holders, { key });
    const isWord = FIELD_NAME.test(String(key)) && !/\d/.test(String(key));
    if (typeof key !== 'number' && holders.length === 0 && !isWord) break;
    path.push(key);
  }
  return path.join('.');
}

/** The name of an unknown field is a value sent, too: with a digit, it is repeated only if it is like a known one. */
const FIELD_NAME = /^[a-zA-Z][\w-]{0,31}(?:\[\])?$/;
const UNNAMED: FieldIssue = { path: '', message: 'there is an unknown field' };

function unknownField(path: string, keys: readonly v.IssuePathItem[], schema: AnySchema): FieldIssue {
  const name = String(keys.at(-1)?.key ?? '');
  if (!FIELD_NAME.test(name)) return UNNAMED;
  const holders = keys.slice(0, -1).reduce<readonly AnySchema[]>(inside, [schema]);
  const meant = nearest(
    name,
    holders.flatMap((holder) => namesOf(holder, keys.at(-1)?.input)),
  );
  if (meant !== undefined) return { path, message: `is unknown; did you mean ${meant}?` };
  return /\d/.test(name) ? UNNAMED : { path, message: 'is unknown' };
}

/** The known name that is most like another one, if one is: a few letters apart, whatever its case and its separators. */
function nearest(name: string, known: readonly string[]): string | undefined {
  const plain = (text: string) => text.toLowerCase().replace(/[^a-z\d]/g, '');
  const wanted = plain(name);
  const apart = (other: string) => distance(wanted, plain(other));
  const [first] = [...known].sort((one, other) => apart(one) - apart(other));
  return first !== undefined && apart(first) <= Math.max(1, wanted.length / 3) ? first : undefined;
}

/** A schema of the library, of any kind: only the parts that its kind has are defined. */
interface AnySchema {
  readonly type: string;
  readonly entries?: Readonly<Record<string, AnySchema & v.GenericSchema>>;
  readonly options?: readonly AnySchema[];
  readonly wrapped?: AnySchema;
  readonly item?: AnySchema;
  /** It and what follows it: lists are counted before their items are checked, by a second schema. */
  readonly pipe?: readonly AnySchema[];
}

/** The names in objects of a schema; of several kinds of object, in those of the kind that was sent. */
function namesOf({ entries, options = [], wrapped }: AnySchema, input: unknown): string[] {
  if (wrapped) return namesOf(wrapped, input);
  if (entries) return Object.keys(entries);
  return options.filter((option) => isOfKind(option, input)).flatMap((option) => namesOf(option, input));
}

function isOfKind({ entries }: AnySchema, input: unknown): boolean {
  const sent = (input as Readonly<Record<string, unknown>> | undefined)?.type;
  return entries?.type === undefined || v.is(entries.type, sent);
}

/** The schemas of what is below a key. */
function inside(schemas: readonly AnySchema[], { key }: Pick<v.IssuePathItem, 'key'>): AnySchema[] {
  return schemas.flatMap((schema) => {
    const { entries, options, wrapped } = schema;
    if (wrapped) return inside([wrapped], { key });
    if (options) return inside(options, { key });
    return (typeof key === 'number' ? itemsIn(schema) : entries?.[String(key)]) ?? [];
  });
}

function itemsIn({ item, pipe }: AnySchema): readonly AnySchema[] {
  return pipe?.flatMap(itemsIn) ?? (item ? [item] : []);
}
