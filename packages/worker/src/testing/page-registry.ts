import { afterEach, beforeEach, vi } from 'vitest';
import { Wid } from './wid.ts';

interface PageParts {
  /** People whom the page knows by both ids. */
  readonly people?: readonly { readonly number: string; readonly lid: string }[];
  /** The account's own id. */
  readonly me?: string;
  /** Further properties of the page's `window`. */
  readonly window?: object;
}

/**
 * Stubs the page: its `window` with a registry of these modules, besides those that most functions need. Returns the
 * registry, to which a test may add modules.
 */
export function stubPage(
  modules: Readonly<Record<string, unknown>> = {},
  { people = [], me, window }: PageParts = {},
): Record<string, unknown> {
  const registry: Record<string, unknown> = {
    WAWebWidFactory: { createWid: (text: string) => new Wid(text) },
    WAWebMsgKey: class {},
    WAWebUserPrefsMeUser: {
      getMaybeMePnUser: () => (me === undefined ? undefined : new Wid(me)),
      getMaybeMeLidUser: () => undefined,
    },
    WAWebApiContact: {
      getPhoneNumber: (id: object) => widOf(people.find(({ lid }) => lid === String(id))?.number),
      getCurrentLid: (id: object) => widOf(people.find(({ number }) => number === String(id))?.lid),
    },
    ...modules,
    WAWebCollections: {
      Msg: { get: () => undefined, getMessagesById: async () => undefined, getModelsArray: () => [] },
      Chat: { get: () => undefined, getModelsArray: () => [] },
      ...(modules.WAWebCollections as object | undefined),
    },
  };
  vi.stubGlobal('window', { require: (name: string) => registry[name], addEventListener: () => {}, ...window });
  return registry;
}

function widOf(id: string | undefined): Wid | undefined {
  return id === undefined ? undefined : new Wid(id);
}

/** Each test imports the modules of the program anew, without the state that earlier tests left in them. */
export function freshProgram(): void {
  beforeEach(() => void vi.resetModules());
  afterEach(() => void vi.resetModules());
}
