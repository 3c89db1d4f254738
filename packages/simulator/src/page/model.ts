import { Emitter } from './emitter.ts';

const prepared = new WeakSet<object>();

/**
 * A bag of attributes that tells of its changes: `change:<name>` (model, value, previous) for each, then `change`.
 * The attributes that a subclass names in `props` are also properties of the instance, as scripts in the page
 * expect; anything else that is set is ignored, as the real page does.
 */
export class Model<A extends object> extends Emitter {
  static readonly props: readonly string[] = [];
  readonly #attributes: Partial<A> = {};

  constructor(values: Partial<A> = {}) {
    super();
    this.#defineProperties();
    Object.assign(this.#attributes, this.#known(values));
  }

  get<K extends keyof A>(name: K): A[K] | undefined {
    return this.#attributes[name];
  }

  /** All new values are in place before the first listener hears of one. */
  set(values: Partial<A>): this {
    const previous: Partial<A> = { ...this.#attributes };
    const known = this.#known(values);
    const changed = (Object.keys(known) as (keyof A)[]).filter((name) => known[name] !== previous[name]);
    Object.assign(this.#attributes, known);
    for (const name of changed) this.trigger(`change:${String(name)}`, this, known[name], previous[name]);
    if (changed.length > 0) this.trigger('change', this);
    return this;
  }

  /** The attributes as a plain object; models inside it become plain, too. */
  serialize(): Record<string, unknown> {
    const plain: Record<string, unknown> = { ...this.#attributes };
    for (const [name, value] of Object.entries(plain)) {
      if (isSerializable(value)) plain[name] = value.serialize();
    }
    return plain;
  }

  toJSON(): Record<string, unknown> {
    return this.serialize();
  }

  #known(values: Partial<A>): Partial<A> {
    const { props } = this.constructor as typeof Model;
    return Object.fromEntries(Object.entries(values).filter(([name]) => props.includes(name))) as Partial<A>;
  }

  #defineProperties(): void {
    const { props, prototype } = this.constructor as typeof Model;
    if (prepared.has(prototype)) return;
    prepared.add(prototype);
    for (const name of props) {
      Object.defineProperty(prototype, name, {
        configurable: true,
        get(this: Model<Record<string, unknown>>) {
          return this.get(name);
        },
        set(this: Model<Record<string, unknown>>, value: unknown) {
          this.set({ [name]: value });
        },
      });
    }
  }
}

function isSerializable(value: unknown): value is { serialize(): unknown } {
  return value instanceof Emitter && 'serialize' in value && typeof value.serialize === 'function';
}
