import { resultWithin } from './delay.ts';

/** One of the newest models is enough: not every kind has every field. */
const MAX_MODELS = 50;

type Module = Record<string, unknown>;
type Require = (name: string) => Module | undefined;

/** The page's own `require`, once one with stand-ins wraps it. */
let wrapped: Require | undefined;

/** The page's own `require`, without stand-ins. */
export function ownRequire(): Require {
  return wrapped ?? (window.require as unknown as Require);
}

/**
 * Gives the library stand-ins for modules that it requires but can work without, so that a part missing in this build
 * does not break all others. False until the page's registry is loaded.
 */
export function prepareModules(): boolean {
  const own = window.require as unknown as Require | undefined;
  if (typeof own !== 'function') return false;
  if (!wrapped) {
    const find = (name: string): Module | undefined => {
      try {
        return own(name) ?? undefined; // Some builds throw for a missing module, others return nothing.
      } catch {
        return undefined;
      }
    };
    const nothing = () => {};
    const collection = (name: string, part: string) => find(name)?.[part] ?? find(name)?.default;
    const standIns: Record<string, () => Module> = {
      // Only for linking: a linked account does not need them.
      ...Object.fromEntries(
        [
          'WAWebAltDeviceLinkingApi',
          'WABase64',
          'WAWebCompanionRegClientUtils',
          'WAWebAdvSignatureApi',
          'WAWebUserPrefsInfoStore',
          'WAWebSignalStoreApi',
        ].map((name) => [name, () => ({})]),
      ),
      WAWebOfflineHandler: () => ({ OfflineMessageHandler: { getOfflineDeliveryProgress: nothing } }),
      WAWebCmd: () => ({ Cmd: { on: nothing } }),
      WAWebConnModel: () => ({ Conn: { on: nothing, serialize: () => ({}) } }),
      WALinkify: () => ({ findLink: nothing, findLinks: () => [] }),
      WAWebLinkPreviewChatAction: () => ({ getLinkPreview: nothing }),
      WAWebMediaDataUtils: () => ({ shouldUseMediaCache: () => false }),
      WAWebChatGetters: () => {
        const ends = (server: string) => (chat: { id: unknown }) => String(chat.id).endsWith(server);
        return { getIsNewsletter: ends('@newsletter'), getIsBroadcast: ends('@broadcast') };
      },
      WAWebCollections: () => ({
        Msg: collection('WAWebMsgCollection', 'MsgCollection'),
        Chat: collection('WAWebChatCollection', 'ChatCollection'),
        Contact: collection('WAWebContactCollection', 'ContactCollection'),
        Status: collection('WAWebStatusCollection', 'StatusCollection'),
        Blocklist: collection('WAWebBlocklistCollection', 'BlocklistCollection'),
        GroupMetadata: collection('WAWebGroupMetadataCollection', 'GroupMetadataCollection'),
      }),
    };
    const isThere = (module: Module, part: string) => {
      try {
        return module[part] !== undefined;
      } catch {
        return false; // Some exports are getters.
      }
    };
    wrapped = own;
    const whole = new Map<string, Module>();
    const lenient: Require = (name) => {
      const known = whole.get(name);
      const standIn = known ? undefined : standIns[name]?.();
      if (!standIn) return known ?? own(name);
      const module = find(name);
      if (!module) return standIn; // It may still be loaded.
      const lacking = Object.keys(standIn).filter((part) => !isThere(module, part));
      if (lacking.length === 0) {
        whole.set(name, module);
        return module;
      }
      // Not cached: some exports are set a moment after their module loads.
      const filled = lacking.map((part) => [part, { value: standIn[part], writable: true, enumerable: true }]);
      return Object.create(module, Object.fromEntries(filled)) as Module;
    };
    try {
      window.require = lenient as never;
    } catch {
      // This build freezes its registry: the library runs without stand-ins.
    }
    // The library waits for this property, and reads no other.
    const version = find('WAWebBuildConstants')?.VERSION_STR;
    if (version && window.Debug?.VERSION === undefined) window.Debug = { ...window.Debug, VERSION: String(version) };
  }
  return window.Debug?.VERSION !== undefined;
}

/** The result of a check of the contract. */
export interface ContractReport {
  /** The page's version, as it reports it. */
  readonly version: string | undefined;
  /** Missing parts: `Module`, or `Module.part`. */
  readonly missing: readonly string[];
  /** Whether its elements have test ids, by which screens and dialogs are recognised. */
  readonly testIds: boolean;
}

/** The page's own loader of what it does not load at its start. */
interface Loader {
  /** Never calls `loaded` for a component that this build does not have. */
  loadModules(components: string[], loaded: () => void, who: string): unknown;
  readonly __debug?: { readonly componentMap?: ReadonlyMap<string, unknown> | Readonly<Record<string, unknown>> };
}

/** False for a component that this build does not have. */
function hasComponent({ __debug }: Loader, name: string): boolean {
  const known = __debug?.componentMap;
  if (!known) return true; // This build does not show them.
  return known instanceof Map ? known.has(name) : Object.hasOwn(known, name);
}

/**
 * Checks for parts of modules, given as paths and kinds by module (see `Part`). Loads missing modules with the page's
 * own loader, from the first of their `components` that contains them.
 */
export async function resolveContract(
  parts: Readonly<Record<string, Readonly<Record<string, string>>>>,
  components: Readonly<Record<string, readonly string[]>>,
  timeoutMs: number,
): Promise<ContractReport> {
  const require = ownRequire();
  const find = (name: string): Module | undefined => {
    try {
      return require(name) ?? undefined;
    } catch {
      return undefined;
    }
  };
  const runtime = find('Bootloader');
  const loader = (typeof runtime?.loadModules === 'function' ? runtime : runtime?.default) as Loader | undefined;
  const load = async (name: string) => {
    const present = (components[name] ?? []).filter((component) => loader && hasComponent(loader, component));
    for (const component of present) {
      const loaded = new Promise<void>((resolve) => loader?.loadModules([component], resolve, 'chat-web'));
      await resultWithin(loaded, timeoutMs / present.length);
      // Throws while a dependency is missing, which the next component may bring.
      const module = find(name);
      if (module) return module;
    }
    return undefined;
  };
  const isField = (module: Module, path: string) => {
    const [collection = '', field = ''] = path.split('[].');
    const models = (module[collection] as { getModelsArray?(): Module[] } | undefined)?.getModelsArray?.() ?? [];
    return models.length === 0 || models.slice(-MAX_MODELS).some((model) => model[field] !== undefined);
  };
  const isPart = (module: Module, path: string, kind: string) => {
    try {
      if (kind === 'field') return isField(module, path);
      const part = path.split('.').reduce<unknown>((value, key) => (value as Module | undefined)?.[key], module);
      if (kind === 'any') return true;
      return part !== null && (typeof part === kind || (kind === 'object' && typeof part === 'function'));
    } catch {
      return false;
    }
  };
  const missing: string[] = [];
  const check = async ([name, paths]: [string, Readonly<Record<string, string>>]) => {
    const module = find(name) ?? (await load(name));
    if (!module) missing.push(name);
    else
      for (const [path, kind] of Object.entries(paths))
        if (!isPart(module, path, kind)) missing.push(`${name}.${path}`);
  };
  await Promise.all(Object.entries(parts).map(check));
  const testIds = Boolean(window.document?.querySelector('[data-testid]'));
  return { version: window.Debug?.VERSION, missing: missing.sort(), testIds };
}
