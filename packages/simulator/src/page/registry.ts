/** Modules by the names that scripts in the page ask for; each is a plain object that they may change. */
export type Modules = Record<string, unknown>;

/** `window.require`: a module by its name; throws for an unknown one, as the real page does. */
export function createRequire(...groups: readonly Modules[]): (name: string) => unknown {
  const modules = new Map(groups.flatMap((group) => Object.entries(group)));
  return (name) => {
    if (!modules.has(name)) throw new Error(`Requiring unknown module "${name}".`);
    return modules.get(name);
  };
}
