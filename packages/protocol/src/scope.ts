import * as v from 'valibot';

/** The scopes of keys. Each includes those before it. */
export const keyScope = v.picklist(['read', 'send', 'manage']);
export type KeyScope = v.InferOutput<typeof keyScope>;

/** The scope that a request needs; `operator` is for the gateway's token alone. */
export type Scope = KeyScope | 'operator';

const inOrder: readonly Scope[] = [...keyScope.options, 'operator'];

/** True if a scope includes the one that is needed. */
export function reaches(scope: Scope, wanted: Scope): boolean {
  return inOrder.indexOf(scope) >= inOrder.indexOf(wanted);
}
