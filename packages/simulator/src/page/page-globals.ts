import type { Registry } from './registry.ts';
import type { PageSwitches } from './switches.ts';

declare global {
  interface Window {
    require: (name: string) => unknown;
    importNamespace: (name: string) => unknown;
    importDefault: (name: string) => unknown;
    requireLazy: (names: readonly string[], callback: (...modules: unknown[]) => void) => void;
    __d: (name: string, dependencies: readonly string[], factory: (...args: unknown[]) => unknown) => void;
    ErrorGuard: { skipGuardGlobal(skip: boolean): void };
    Debug: { VERSION: string };
  }
}

/** How long the scripts of a component take to load. */
const COMPONENT_MS = 25;

/** Installs the globals for scripts: the loader of modules with its entry points, and the version. */
export function installGlobals(registry: Registry, { pageVersion }: Pick<PageSwitches, 'pageVersion'>): void {
  const find = (name: string) => registry.require(name);
  registry.define('Bootloader', bootloader(registry));
  registry.define('__debug', {
    // Some libraries count these to see whether the page is still growing.
    get modulesMap() {
      return Object.fromEntries([...registry.registered].map(([id]) => [id, { id, factory: () => undefined }]));
    },
  });
  window.importNamespace = find;
  window.importDefault = (name) => (find(name) as { default?: unknown } | undefined)?.default ?? find(name);
  window.requireLazy = (names, callback) => void setTimeout(() => callback(...names.map(find)));
  window.__d = (name, _dependencies, factory) => registry.define(name, factory());
  window.ErrorGuard = { skipGuardGlobal: (skip) => registry.throwErrors(skip) };
  window.Debug = { VERSION: pageVersion };
  // Last, since scripts wait for it.
  window.require = find;
}

/** The loader of what the page does not have from the start. An unknown component is queued, and never loads. */
function bootloader(registry: Registry) {
  const componentMap = new Map([...registry.components.keys()].map((name) => [name, { r: [name] }]));
  const loaded = new Set<string>();
  return {
    loadModules: (
      components: readonly string[],
      callback?: (...modules: unknown[]) => void,
      _source?: string,
    ): void => {
      if (components.some((name) => !componentMap.has(name))) return;
      setTimeout(() => {
        for (const component of components) {
          registry.loadComponent(component);
          loaded.add(component);
        }
        callback?.();
      }, COMPONENT_MS);
    },
    __debug: { componentMap, loaded },
  };
}
