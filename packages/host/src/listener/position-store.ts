/**
 * Where an application keeps its position in the events, over its own restarts. Only one listener may use a store at a
 * time.
 *
 * @example
 * const position: PositionStore = {
 *   load: async () => (await db.get('SELECT id FROM position'))?.id,
 *   save: (id) => db.run('UPDATE position SET id = ?', id),
 * };
 */
export interface PositionStore {
  /**
   * The id that was saved last. Undefined: none yet. If it rejects, so does the listener, which would not know where to
   * begin.
   */
  load(): Promise<string | undefined>;
  /**
   * Saves an id. Called in order, never concurrently, and only with an id up to which all events are handled. If it
   * rejects, `onError` is called, and the newest id is tried again.
   */
  save(id: string): Promise<void>;
  /** Called once when the listener has ended, if `load` has resolved. */
  close?(): Promise<void>;
}

/** Keeps the position for the lifetime of the process. */
export function memoryPosition(): PositionStore {
  let position: string | undefined;
  return {
    load: async () => position,
    save: async (id) => {
      position = id;
    },
  };
}
