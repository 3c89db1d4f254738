import { Emitter } from './emitter.ts';
import type { Model } from './model.ts';

/** Anything with a serialised form: a string, an id object, or a model's id. */
type Id = string | { toString(): string };

/** Models by id, in insertion order. Emits `add`, `remove`, and the events of its models. */
export class Collection<M extends Model<{ id: Id }>> extends Emitter {
  /** The class of its members, for scripts that create their own. */
  readonly modelClass: new (
    values: never,
  ) => M;
  // A plain object, as in the real page: it also has a value for `constructor`.
  readonly #byId: Record<string, M> = {};
  #models: M[] = [];

  constructor(modelClass: new (values: never) => M) {
    super();
    this.modelClass = modelClass;
  }

  get length(): number {
    return this.#models.length;
  }

  get _models(): M[] {
    return this.getModelsArray();
  }

  /** The member with that id; ids compare by their serialised form. */
  get(id: Id | null | undefined): M | undefined {
    return id === null || id === undefined ? undefined : this.#byId[String(id)];
  }

  /** Adds a missing member, then triggers `add`; at the end, or before the member at that index. */
  add(model: M, at = this.#models.length): M {
    const key = String(model.get('id'));
    const present = this.#byId[key];
    if (present) return present;
    this.#byId[key] = model;
    this.#models.splice(at, 0, model);
    model.bubbleTo(this);
    this.trigger('add', model, this);
    return model;
  }

  /** Indexes a member by the id that it is about to get. */
  rename(model: M, id: Id): void {
    if (!this.#drop(model)) return;
    this.#byId[String(id)] = model;
  }

  remove(model: M): void {
    if (!this.#drop(model)) return;
    this.#models = this.#models.filter((member) => member !== model);
    this.trigger('remove', model, this);
    model.stopBubblingTo(this);
  }

  #drop(model: M): boolean {
    const key = String(model.get('id'));
    if (!this.#byId[key]) return false;
    delete this.#byId[key];
    return true;
  }

  getModelsArray(): M[] {
    return [...this.#models];
  }

  forEach(visit: (model: M) => void): void {
    this.getModelsArray().forEach(visit);
  }

  filter(matches: (model: M) => boolean): M[] {
    return this.getModelsArray().filter(matches);
  }

  map<T>(transform: (model: M) => T): T[] {
    return this.getModelsArray().map(transform);
  }

  serialize(): Record<string, unknown>[] {
    return this.getModelsArray().map((model) => model.serialize());
  }
}
