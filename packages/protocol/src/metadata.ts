import * as v from 'valibot';
import { pairsOf, pairsWithAllNames } from './limits.ts';

const MAX_PAIRS = 20;
const MAX_VALUE_LENGTH = 500;

/** What a caller notes on a session, such as its own customer's number: shown with it, and on its events. */
export const metadata = v.pipe(
  pairsWithAllNames,
  pairsOf(
    v.pipe(
      v.string(),
      v.regex(
        /^[A-Za-z][\w.-]{0,39}$/,
        'must have names of up to 40 characters of A-Z a-z 0-9 _ . -, beginning with a letter',
      ),
    ),
    v.pipe(v.string(), v.maxLength(MAX_VALUE_LENGTH, `must be at most ${MAX_VALUE_LENGTH} characters`)),
    MAX_PAIRS,
    `must be at most ${MAX_PAIRS} pairs`,
  ),
);
export type Metadata = Readonly<v.InferOutput<typeof metadata>>;
