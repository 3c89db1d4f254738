import * as v from 'valibot';

/** The scopes of keys. Each includes the previous ones. */
export const keyScope = v.picklist(['read', 'send', 'manage']);
export type KeyScope = v.InferOutput<typeof keyScope>;

/** The scopes that a request may need, in order; only the gateway's token has `operator`. */
export const scope = v.picklist([...keyScope.options, 'operator']);
export type Scope = v.InferOutput<typeof scope>;

/** True if a scope includes the required one. */
export function reaches(reached: Scope, wanted: Scope): boolean {
  return scope.options.indexOf(reached) >= scope.options.indexOf(wanted);
}
