import { Collection } from './collection.ts';
import { Model } from './model.ts';

/** Modules by the names that scripts in the page require; each is a plain object that they may change. */
export type Modules = Record<string, unknown>;

export interface RegistryOptions {
  /** `Module` or `Module.export`: these do not exist at all. */
  readonly missing: readonly string[];
  /** Lazy modules by component; absent until one of their components is loaded. */
  readonly components: Readonly<Record<string, readonly string[]>>;
  /** Lazy modules whose dependencies are in another component: `require` throws until that is loaded, too. */
  readonly unresolved: Readonly<Record<string, string>>;
  /** Modules that are missing before `registerLate` is called. */
  readonly late: readonly string[];
  /** Whether `require` throws for a missing module, or only logs it on the console. */
  readonly unknown: 'thrown' | 'undefined';
}

/** The modules that scripts in the page can require. The page itself does not use them, and works without them. */
export class Registry {
  readonly #all: ReadonlyMap<string, unknown>;
  readonly #registered: Map<string, unknown>;
  readonly #components: Map<string, readonly string[]>;
  readonly #late: readonly string[];
  readonly #unresolved: Map<string, string>;
  readonly #missing: ReadonlySet<string>;
  #throws: boolean;

  constructor(groups: readonly Modules[], options: RegistryOptions) {
    const all = new Map(groups.flatMap((group) => Object.entries(group)));
    for (const name of options.missing) removeExport(all, name);
    this.#all = all;
    this.#missing = new Set(options.missing);
    this.#components = new Map(Object.entries(options.components));
    this.#late = options.late;
    this.#unresolved = new Map(Object.entries(options.unresolved));
    this.#throws = options.unknown === 'thrown';
    const absent = new Set([...[...this.#components.values()].flat(), ...options.late]);
    this.#registered = new Map([...all].filter(([name]) => !absent.has(name)));
  }

  /** Names of the components that can be loaded. */
  get components(): ReadonlyMap<string, readonly string[]> {
    return this.#components;
  }

  get registered(): ReadonlyMap<string, unknown> {
    return this.#registered;
  }

  throwErrors(throws: boolean): void {
    this.#throws = throws;
  }

  require(name: string): unknown {
    if (this.#unresolved.has(name) && this.#registered.has(name))
      throw new Error(`Requiring module "${name}" with unresolved dependencies`);
    if (this.#registered.has(name)) return this.#registered.get(name);
    const error = new UnknownModuleError(name);
    if (this.#throws) throw error;
    console.error(`ErrorUtils caught an error: Requiring unknown module "${name}"`);
    return undefined;
  }

  define(name: string, module: unknown): void {
    if (!this.#missing.has(name)) this.#registered.set(name, module);
  }

  /** Registers the modules of a component; throws for an unknown component. */
  loadComponent(component: string): void {
    const names = this.#components.get(component);
    if (!names) throw new Error(`Bootloader: unknown component ${component}`);
    this.#register(names);
    for (const [module, needed] of this.#unresolved) if (needed === component) this.#unresolved.delete(module);
  }

  /** Every function of every module throws from now on, also where a script holds the module. */
  breakAll(): void {
    for (const [name, module] of this.#registered) this.#registered.set(name, breakModule(module));
  }

  registerLate(): void {
    this.#register(this.#late);
  }

  #register(names: readonly string[]): void {
    for (const name of names) if (this.#all.has(name)) this.#registered.set(name, this.#all.get(name));
  }
}

/** As in the real page, where the message does not name the module. */
class UnknownModuleError extends Error {
  readonly messageFormat = 'Requiring unknown module "%s"';
  readonly messageParams: readonly string[];

  constructor(module: string) {
    super('Requiring unknown module "%s"');
    this.name = 'ModuleError';
    this.messageParams = [module];
  }
}

/**
 * Breaks a module in place: each function that it exports throws, and so does each method of its collections and
 * models. Returns the replacement, since a module may be a function itself. The data of models can still be read.
 */
function breakModule(module: unknown): unknown {
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

/**
 * Removes a module, or the export that a dotted name names, from a map of modules. Other parts of the page keep the
 * whole module: the map gets a copy without the export, unless the name has a third part.
 */
export function removeExport(modules: Map<string, unknown>, name: string): void {
  const [module = '', first, second] = name.split('.');
  if (!modules.has(module)) return;
  const found = modules.get(module);
  if (first === undefined) modules.delete(module);
  else if (second === undefined) modules.set(module, withoutProperty(found, first));
  else deleteFrom(propertyOf(found, first), second);
}

function withoutProperty(module: unknown, name: string): unknown {
  if (typeof module === 'function') {
    const Original = module as new (...args: never[]) => object;
    return Object.defineProperty(class extends Original {}, name, { value: undefined });
  }
  const { [name]: _, ...rest } = module as Record<string, unknown>;
  return rest;
}

function propertyOf(value: unknown, name: string): unknown {
  return (value as Record<string, unknown> | undefined)?.[name];
}

function deleteFrom(value: unknown, name: string): void {
  if (typeof value === 'object' && value !== null) delete (value as Record<string, unknown>)[name];
}
