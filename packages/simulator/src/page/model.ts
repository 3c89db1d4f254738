import { Emitter } from './emitter.ts';

const prepared = new WeakSet<object>();

/** An attribute is kept in an own, enumerable property of that name: spreading a model copies it. */
const kept = (name: string) => `__x_${name}`;

/**
 * An object that emits its changes: `change:<name>` (model, value, previous) for each, then `change`.
 * The attributes that a subclass names in `props` are also properties of the instance, as scripts in the page
 * expect. Other values become plain properties without an event, whatever their names, as in the real page: values
 * that a script spreads from another model may include a property that keeps an attribute, which is then overwritten.
 */
export class Model<A extends object> extends Emitter {
  static readonly props: readonly string[] = [];

  constructor(values: Partial<A> = {}) {
    super();
    this.#defineProperties();
    for (const [name, value] of Object.entries(values)) this.#keep(name, value);
  }

  get<K extends keyof A>(name: K): A[K] | undefined {
    return this.#bag[kept(String(name))] as A[K] | undefined;
  }

  /** All new values are set before the first listener runs. */
  set(values: Partial<A>): this {
    const changes = Object.entries(values).flatMap(([name, value]) => {
      const previous = this.#bag[kept(name)];
      this.#keep(name, value);
      return this.#isProp(name) && value !== previous ? [{ name, value, previous }] : [];
    });
    for (const { name, value, previous } of changes) this.trigger(`change:${name}`, this, value, previous);
    if (changes.length > 0) this.trigger('change', this);
    return this;
  }

  /** The attributes as a plain object; models inside it become plain, too. */
  serialize(): Record<string, unknown> {
    const { props } = this.constructor as typeof Model;
    const present = props.filter((name) => Object.hasOwn(this, kept(name)));
    return Object.fromEntries(
      present.map((name) => {
        const value = this.#bag[kept(name)];
        return [name, isSerializable(value) ? value.serialize() : value];
      }),
    );
  }

  toJSON(): Record<string, unknown> {
    return this.serialize();
  }

  get #bag(): Record<string, unknown> {
    return this as unknown as Record<string, unknown>;
  }

  #isProp(name: string): boolean {
    return (this.constructor as typeof Model).props.includes(name);
  }

  #keep(name: string, value: unknown): void {
    this.#bag[this.#isProp(name) ? kept(name) : name] = value;
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
