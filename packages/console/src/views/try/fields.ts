import type { ObjectSchema } from '@chat-web/protocol';
import type * as v from 'valibot';

/** How a value is entered. */
type FieldKind = 'text' | 'long' | 'lines' | 'number' | 'flag' | 'choice' | 'file' | 'json';

/** A field of a form, derived from the schema of an operation. */
export interface Field {
  readonly name: string;
  readonly kind: FieldKind;
  readonly isRequired: boolean;
  /** It may be null, which is entered as `null`. */
  readonly isNullable?: true;
  /** The options of a `choice`. */
  readonly options: readonly string[];
  /** The requirements of the schema. */
  readonly hint: string;
}

/** The parts of a valibot schema that this reads; each type has more. */
interface Shape {
  readonly type: string;
  readonly wrapped?: Shape;
  readonly literal?: unknown;
  readonly options?: readonly unknown[];
  readonly entries?: Readonly<Record<string, Shape>>;
  readonly pipe?: readonly Action[];
  readonly item?: Shape;
  /** For a variant: the field that selects its option. */
  readonly key?: string;
}
type Action = Shape & {
  readonly kind?: string;
  readonly message?: unknown;
  readonly description?: string;
  readonly requirement?: unknown;
};

/** Longer texts get several lines. */
const LONG = 700;
const KINDS: Readonly<Record<string, FieldKind>> = {
  number: 'number',
  boolean: 'flag',
  picklist: 'choice',
  literal: 'choice',
  custom: 'file',
  array: 'lines',
  string: 'text',
};

/**
 * The fields of an object, in the order of its schema. For a variant, those of the option that `values` selects, or of
 * the first; the selecting field comes first.
 */
export function fieldsOf(
  schema: v.GenericSchema | ObjectSchema,
  values: Readonly<Record<string, string>>,
): readonly Field[] {
  const shape = schema as unknown as Shape;
  if (shape.type !== 'variant' || shape.key === undefined) return Object.entries(shape.entries ?? {}).map(fieldOf);
  const { key } = shape;
  const variants = (shape.options as readonly Shape[]).map((variant) => ({
    variant,
    names: optionsOf(variant.entries?.[key]),
  }));
  const chosen = variants.find(({ names }) => names.includes(values[key] ?? '')) ?? variants[0];
  const rest = Object.entries(chosen?.variant.entries ?? {}).filter(([name]) => name !== key);
  const options = variants.flatMap(({ names }) => names);
  return [{ name: key, kind: 'choice', isRequired: true, options, hint: '' }, ...rest.map(fieldOf)];
}

function fieldOf([name, given]: [string, Shape]): Field {
  const isRequired = given.type !== 'optional';
  const isNullable = given.type === 'nullable' || given.wrapped?.type === 'nullable';
  const shape = given.wrapped?.wrapped ?? given.wrapped ?? given;
  const hints = [...new Set(hintsOf(shape))];
  const hint = hints.filter((one) => !hints.some((other) => other !== one && other.startsWith(one))).join('; ');
  const field = { name, kind: kindOf(shape, hint), isRequired, options: optionsOf(shape), hint };
  return isNullable ? { ...field, isNullable } : field;
}

function kindOf(shape: Shape, hint: string): FieldKind {
  // For a query parameter: a number or a flag, or its text.
  const [first] = shape.type === 'union' ? ((shape.options ?? []) as readonly Shape[]) : [shape];
  const isNumbers = shape.type === 'picklist' && (shape.options ?? []).every((option) => typeof option === 'number');
  const kind = isNumbers ? 'number' : (KINDS[first?.type ?? ''] ?? 'json');
  if (kind === 'lines' && !['string', 'picklist'].includes(shape.item?.type ?? '')) return 'json';
  const isLong = kind === 'text' && !hint.includes('URL') && mostOf(shape) >= LONG;
  return isLong ? 'long' : kind;
}

function optionsOf(shape: Shape | undefined): readonly string[] {
  if (shape?.type === 'literal') return [String(shape.literal)];
  return shape?.type === 'picklist' ? (shape.options ?? []).map(String) : [];
}

/** Its description, or the messages of its checks. */
function hintsOf(shape: Shape): readonly string[] {
  const actions = actionsOf(shape);
  const described = actions.flatMap(({ description }) => description ?? []);
  if (described.length > 0) return described;
  const item = shape.item ? hintsOf(shape.item) : [];
  return [...actions.flatMap(({ message }) => (typeof message === 'string' ? message : [])), ...item];
}

function mostOf(shape: Shape): number {
  const most = actionsOf(shape).find(({ type }) => type === 'max_length')?.requirement;
  return typeof most === 'number' ? most : 0;
}

/** A schema with checks may be nested in one with more. */
function actionsOf({ pipe = [] }: Shape): readonly Action[] {
  return pipe.flatMap((action) => (action.kind === 'schema' ? actionsOf(action) : action));
}
