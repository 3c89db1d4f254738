/**
 * Removes a module, or the export that a dotted name names, from a map of modules. Other parts of the page keep the
 * whole module: the map gets a copy without the export, unless the name has a third part.
 */
export function withoutExport(modules: Map<string, unknown>, name: string): void {
  const [module = '', first, second] = name.split('.');
  if (!modules.has(module)) return;
  const found = modules.get(module);
  if (first === undefined) modules.delete(module);
  else if (second === undefined) modules.set(module, lacking(found, first));
  else deleteFrom(propertyOf(found, first), second);
}

function lacking(module: unknown, name: string): unknown {
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
