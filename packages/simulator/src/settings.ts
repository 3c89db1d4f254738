import * as v from 'valibot';
import { builds, newestBuild, switchesOf } from './builds.ts';

/**
 * How the simulator behaves by default: as the real page, but faster; the page's switches are those of the newest build.
 * All times are in milliseconds.
 */
export const defaultSettings = {
  /** Which build of the page is served: sets all of the page's switches that are not set explicitly. */
  build: newestBuild,
  ...switchesOf(newestBuild),
  /** How long the first QR of a page is valid, and each later one; after how many the page goes idle. */
  qrFirstMs: 60_000,
  qrIntervalMs: 20_000,
  qrCount: 6,
  /** From UNPAIRED until the first QR reference; a QR that is read before begins with `undefined,`. */
  refDelayMs: 30,
  /** From the scan until the page has its link. */
  pairDelayMs: 100,
  /** From CONNECTED until the page has synced. */
  syncDelayMs: 300,
  /** In how many equal steps the offline progress moves during that time; 0 for none. */
  syncSteps: 0,
  /** The percentage at which the progress of a device's first sync stops forever; null for never. */
  syncStallAt: null as number | null,
  /** From a send until the server has it (ack 1). */
  ackDelayMs: 20,
  /** From ack 1 until it is delivered (ack 2). */
  deliveryDelayMs: 20,
  /** How many of the next uploads the media server refuses. */
  refusedUploads: 0,
  /**
   * Whether an unlinked page reports UNPAIRED before it reloads. whatsapp-web.js closes the browser if it does, with
   * `disconnected` UNPAIRED; if it does not, `disconnected` LOGOUT comes and the browser shows a new QR.
   */
  unpairedOnLogout: false,
  /** Whether requesting a pairing code unlinks the devices of the number. */
  codeUnlinks: true,
  /** Whether a device is unlinked when a profile logs in whose keys are older than those that logged in before. */
  oldKeysUnlink: true,
  /** How long a newly linked page may leave the dialog "What's new" unanswered before it is unlinked. */
  onboardingMs: 300_000,
};

export type SimulatorSettings = typeof defaultSettings;

/** A change of settings; undefined ones stay unchanged. */
type SettingsChange = { readonly [K in keyof SimulatorSettings]?: SimulatorSettings[K] | undefined };

/** The settings of a simulator: an explicit setting overrides the build, also one set later. */
export class Settings {
  /** The same object for the whole run: a change applies at once everywhere. */
  readonly current: SimulatorSettings = { ...defaultSettings };
  readonly #given: Partial<SimulatorSettings> = {};

  constructor(given: SettingsChange = {}) {
    this.change(given);
  }

  change(given: SettingsChange): SimulatorSettings {
    const changed = definedOnly(given);
    Object.assign(this.#given, changed);
    const { build = newestBuild } = this.#given;
    const switches = Object.entries(switchesOf(build)).filter(([name]) => !(name in this.#given));
    return Object.assign(this.current, Object.fromEntries(switches), changed);
  }
}

/** For values that `Object.assign` or a spread must not overwrite with undefined. */
export function definedOnly<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never;
}

const property = v.optional(v.picklist(['_serialized', '$1']));
const delayMs = v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(3_600_000)));
const count = v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(1000)));
const moduleName = v.pipe(v.string(), v.regex(/^\w+(\.\w+){0,2}$/, 'must be Module or Module.export'));

/** Those that are switched on or off, and the times. */
const usual = Object.entries(defaultSettings).flatMap(([name, value]): [string, v.GenericSchema][] => {
  if (typeof value === 'boolean') return [[name, v.optional(v.boolean())]];
  return name.endsWith('Ms') ? [[name, delayMs]] : [];
});

/** Validates a change of settings from outside. */
export const settingsSchema: v.GenericSchema<SettingsChange, SettingsChange> = v.strictObject({
  ...Object.fromEntries(usual),
  build: v.optional(v.picklist(builds)),
  idProperty: property,
  widProperty: property,
  pageVersion: v.optional(v.pipe(v.string(), v.regex(/^\d+(\.\d+)+$/, 'must be numbers with dots between them'))),
  statusActions: v.optional(v.picklist(['positional', 'object'])),
  downloads: v.optional(v.picklist(['any', 'typed'])),
  downloadResult: v.optional(v.picklist(['arraybuffer', 'uint8array', 'blob'])),
  whatsNew: v.optional(v.picklist(['one-button', 'two-buttons'])),
  whatsNewAt: v.optional(v.picklist(['synced', 'load'])),
  participantQueriesAtOnce: count,
  unknownGroups: v.optional(v.picklist(['none', 'created'])),
  groupDescription: v.optional(v.picklist(['positional', 'object'])),
  lookUps: v.optional(v.picklist(['pn', 'lid'])),
  deleteForm: v.optional(v.picklist(['positional', 'object'])),
  unknownModules: v.optional(v.picklist(['thrown', 'undefined'])),
  missingModules: v.optional(v.array(moduleName)),
  removedModules: v.optional(v.array(moduleName)),
  unresolvedModules: v.optional(v.record(v.string(), v.string())),
  pictureRefusals: v.optional(v.picklist(['thrown', 'returned'])),
  pictureIdentity: v.optional(v.picklist(['any', 'lid'])),
  contactNames: v.optional(v.picklist(['both', 'lid'])),
  offlineProgressEnd: v.optional(v.pipe(v.number(), v.minValue(0), v.maxValue(100))),
  qrCount: count,
  syncSteps: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(1000))),
  syncStallAt: v.optional(v.nullable(v.pipe(v.number(), v.minValue(0), v.maxValue(100)))),
  refusedUploads: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(1000))),
});
