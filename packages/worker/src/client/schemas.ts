import { GatewayError } from '@chat-web/protocol';
import * as v from 'valibot';

/** A field that is left out if it is invalid, so that the whole is not lost. */
export const orNone = <S extends v.GenericSchema>(schema: S) => v.fallback(v.optional(schema), undefined);

/** Rows of the page, as the schema makes them; invalid ones are left out. */
export function validRows<S extends v.GenericSchema>(schema: S, rows: readonly unknown[]): v.InferOutput<S>[] {
  return rows.flatMap((row) => {
    const read = v.safeParse(schema, row);
    return read.success ? [read.output] : [];
  });
}

/** A value of the page, as the schema makes it. Throws `client_failed` with a name for what is invalid. */
export function requireValid<S extends v.GenericSchema>(schema: S, value: unknown, name: string): v.InferOutput<S> {
  const read = v.safeParse(schema, value);
  if (read.success) return read.output;
  throw new GatewayError('client_failed', `the web client returned an invalid ${name}`);
}
