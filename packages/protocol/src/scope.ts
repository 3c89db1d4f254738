import * as v from 'valibot';

/** How far a key goes. Each includes those before it. */
export const keyScope = v.picklist(['read', 'send', 'manage']);
export type KeyScope = v.InferOutput<typeof keyScope>;

/** What is asked for: what a key may have, or the operator's own token. */
export type Scope = KeyScope | 'operator';

const inOrder: readonly Scope[] = [...keyScope.options, 'operator'];

/** True if somebody with that scope may do what asks for the other. */
export function reaches(scope: Scope, wanted: Scope): boolean {
  return inOrder.indexOf(scope) >= inOrder.indexOf(wanted);
}
