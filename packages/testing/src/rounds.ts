/**
 * What a story repeats, or how often: `few` in `npm test` and `npm run test:faults`, `all` in the other tiers, whose
 * figures the docs list.
 */
export function rounds<T>({ few, all }: { readonly few: T; readonly all: T }): T {
  return process.env.TEST_ROUNDS === 'all' ? all : few;
}
