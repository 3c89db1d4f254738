import { broken } from './broken.ts';
import { withoutExport } from './without-export.ts';

/** Modules by the names that scripts in the page require; each is a plain object that they may change. */
export type Modules = Record<string, unknown>;

/** Options of a page's modules. */
export interface RegistryOptions {
  /** `Module` or `Module.export`: these do not exist at all. */
  readonly missing: readonly string[];
  /** Lazy modules by component; absent until one of their components is loaded. */
  readonly components: Readonly<Record<string, readonly string[]>>;
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
  readonly #missing: ReadonlySet<string>;
  #throws: boolean;

  constructor(groups: readonly Modules[], options: RegistryOptions) {
    const all = new Map(groups.flatMap((group) => Object.entries(group)));
    for (const name of options.missing) withoutExport(all, name);
    this.#all = all;
    this.#missing = new Set(options.missing);
    this.#components = new Map(Object.entries(options.components));
    this.#late = options.late;
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

  /** Whether requiring an unknown module throws. */
  throwErrors(throws: boolean): void {
    this.#throws = throws;
  }

  /** A module by its name. */
  require(name: string): unknown {
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
  }

  /** Every function of every module throws from now on, also where a script holds the module. */
  breakAll(): void {
    for (const [name, module] of this.#registered) this.#registered.set(name, broken(module));
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
