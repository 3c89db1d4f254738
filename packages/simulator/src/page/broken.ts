import { Collection } from './collection.ts';
import { Model } from './model.ts';

/**
 * Breaks a module in place: each function that it exports throws, and so does each method of its collections and
 * models. Returns the replacement, since a module may be a function itself. The data of models can still be read.
 */
export function broken(module: unknown): unknown {
  if (typeof module === 'function') return fail;
  if (module instanceof Collection) breakMethods(module, Object.prototype);
  else if (typeof module === 'object' && module !== null)
    for (const [name, value] of Object.entries(module)) {
      if (typeof value === 'function') Object.defineProperty(module, name, { value: fail });
      else if (value instanceof Collection) breakMethods(value, Object.prototype);
      else if (value instanceof Model) breakMethods(value, Model.prototype);
    }
  return module;
}

/** Breaks the methods of an object and its prototypes, up to `end`. */
function breakMethods(target: object, end: object): void {
  for (let level = target; level !== end; level = Object.getPrototypeOf(level) as object)
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(level)))
      if (typeof value === 'function' && name !== 'constructor')
        Object.defineProperty(target, name, { value: fail, configurable: true });
}

function fail(): never {
  throw new Error('the module is broken');
}
