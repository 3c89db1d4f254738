type Listener = (...args: never[]) => unknown;

/** Events as in Backbone: several names in one string, separated by spaces. */
export class Emitter {
  readonly #listeners = new Map<string, { listener: Listener; once: boolean }[]>();
  readonly #parents = new Set<Emitter>();

  on(names: string, listener: Listener): this {
    return this.#add(names, listener, false);
  }

  once(names: string, listener: Listener): this {
    return this.#add(names, listener, true);
  }

  /** Without a listener, removes all of that name; without a name, all. */
  off(names?: string, listener?: Listener): this {
    const affected = names === undefined ? [...this.#listeners.keys()] : names.split(' ');
    for (const name of affected) {
      const kept = this.#listeners.get(name)?.filter((entry) => listener && entry.listener !== listener) ?? [];
      if (kept.length > 0) this.#listeners.set(name, kept);
      else this.#listeners.delete(name);
    }
    return this;
  }

  /** Calls the listeners of that name, then those of every emitter that this one bubbles to. */
  trigger(name: string, ...args: unknown[]): this {
    for (const { listener, once } of [...(this.#listeners.get(name) ?? [])]) {
      if (once) this.off(name, listener);
      (listener as (...args: unknown[]) => unknown)(...args);
    }
    for (const parent of [...this.#parents]) parent.trigger(name, ...args);
    return this;
  }

  /** From now on `parent` also triggers what this one triggers. */
  bubbleTo(parent: Emitter): void {
    this.#parents.add(parent);
  }

  stopBubblingTo(parent: Emitter): void {
    this.#parents.delete(parent);
  }

  #add(names: string, listener: Listener, once: boolean): this {
    for (const name of names.split(' ')) {
      this.#listeners.set(name, [...(this.#listeners.get(name) ?? []), { listener, once }]);
    }
    return this;
  }
}
