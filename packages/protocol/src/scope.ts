import * as v from 'valibot';

/** The scopes of keys. Each includes those before it. */
export const keyScope = v.picklist(['read', 'send', 'manage']);
export type KeyScope = v.InferOutput<typeof keyScope>;

/** The scopes that a request may need, in order; `operator` is for the gateway's token alone. */
export const scope = v.picklist([...keyScope.options, 'operator']);
export type Scope = v.InferOutput<typeof scope>;

/** True if a scope includes the one that is needed. */
export function reaches(reached: Scope, wanted: Scope): boolean {
  return scope.options.indexOf(reached) >= scope.options.indexOf(wanted);
}
