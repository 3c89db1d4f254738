import { toJsonSchema } from '@valibot/to-json-schema';
import type * as v from 'valibot';

export type Json = Readonly<Record<string, unknown>>;

/** The JSON Schema of what a caller writes, or gets. */
export function schemaOf(schema: v.GenericSchema, typeMode: 'input' | 'output'): Json {
  const { $schema, ...rest } = toJsonSchema(schema, {
    typeMode,
    errorMode: 'ignore',
    overrideSchema: ({ valibotSchema, jsonSchema }) => {
      // The schema validates an upload as a file; the caller sends base64.
      if (valibotSchema.type === 'custom') return { type: 'string', contentEncoding: 'base64' };
      // In a query, a number or a flag arrives as its text.
      const [first] = jsonSchema.anyOf ?? [];
      const isWritten = typeof first === 'object' && ['integer', 'boolean'].includes(String(first.type));
      return isWritten ? first : jsonSchema;
    },
  });
  return rest;
}
