import * as v from 'valibot';
import { type Build, builds, newestBuild, switchesOf } from './builds.ts';
import type { PageSwitches } from './page/switches.ts';

export type { PageSwitches, SerializedProperty } from './page/switches.ts';

/** How the simulator behaves. All times are in milliseconds. */
export interface SimulatorSettings extends PageSwitches {
  /** Which build of the page is served: sets all of the page's switches that are not set explicitly. */
  build: Build;
  /** How long the first QR of a page is valid, and each later one; after how many the page goes idle. */
  qrFirstMs: number;
  qrIntervalMs: number;
  qrCount: number;
  /** From UNPAIRED until the first QR reference; a QR that is read before begins with `undefined,`. */
  refDelayMs: number;
  /** From the scan until the page has its link. */
  pairDelayMs: number;
  /** From CONNECTED until the page has synced. */
  syncDelayMs: number;
  /** In how many equal steps the offline progress moves during that time; 0 for none. */
  syncSteps: number;
  /** The percentage at which the progress of a device's first sync stops forever; null for never. */
  syncStallAt: number | null;
  /** From a send until the server has it (ack 1). */
  ackDelayMs: number;
  /** From ack 1 until it is delivered (ack 2). */
  deliveryDelayMs: number;
  /**
   * Whether an unlinked page reports UNPAIRED before it reloads. whatsapp-web.js closes the browser if it does, with
   * `disconnected` UNPAIRED; if it does not, `disconnected` LOGOUT comes and the browser shows a new QR.
   */
  unpairedOnLogout: boolean;
  /** Versions whose scripts are deleted: their saved documents do not start. */
  purgedVersions: readonly string[];
  /** Whether requesting a pairing code unlinks the devices of the number. */
  codeUnlinks: boolean;
  /** How many pairing codes a number gets within an hour; the next one is refused with 429. Null for no limit. */
  codeLimit: number | null;
  /** How long the challenge for a passkey is valid. */
  passkeyMs: number;
  /** Whether a device is unlinked when a profile logs in whose keys are older than those that logged in before. */
  oldKeysUnlink: boolean;
  /** How long a newly linked page may leave the dialogue "What's new" unanswered before it is unlinked. */
  onboardingMs: number;
}

/** As the real page, but faster; the page's switches are those of the newest build. */
export const defaultSettings: Readonly<SimulatorSettings> = {
  build: newestBuild,
  ...switchesOf(newestBuild),
  qrFirstMs: 60_000,
  qrIntervalMs: 20_000,
  qrCount: 6,
  refDelayMs: 30,
  pairDelayMs: 100,
  syncDelayMs: 300,
  syncSteps: 0,
  syncStallAt: null,
  ackDelayMs: 20,
  deliveryDelayMs: 20,
  unpairedOnLogout: false,
  purgedVersions: [],
  codeUnlinks: true,
  codeLimit: null,
  passkeyMs: 600_000,
  oldKeysUnlink: true,
  onboardingMs: 300_000,
};

/** A change of settings; undefined ones stay unchanged. */
export type SettingsChange = { readonly [K in keyof SimulatorSettings]?: SimulatorSettings[K] | undefined };

/** The settings of a simulator: an explicit setting overrides the build, also one set later. */
export class Settings {
  /** The same object for the whole run: a change applies at once everywhere. */
  readonly current: SimulatorSettings = { ...defaultSettings };
  #given: Partial<SimulatorSettings> = {};

  constructor(given: SettingsChange = {}) {
    this.change(given);
  }

  change(given: SettingsChange): SimulatorSettings {
    this.#given = { ...this.#given, ...definedOnly(given) };
    const { build = newestBuild } = this.#given;
    return Object.assign(this.current, switchesOf(build), this.#given);
  }
}

function definedOnly(change: SettingsChange): Partial<SimulatorSettings> {
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
}

const flag = v.optional(v.boolean());
const property = v.optional(v.picklist(['_serialized', '$1']));
const delayMs = v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(3_600_000)));
const count = v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(1000)));
const moduleName = v.pipe(v.string(), v.regex(/^\w+(\.\w+){0,2}$/, 'must be Module or Module.export'));

/** Validates a change of settings from outside. */
export const settingsSchema = v.strictObject({
  build: v.optional(v.picklist(builds)),
  idProperty: property,
  widProperty: property,
  pageVersion: v.optional(v.pipe(v.string(), v.regex(/^\d+(\.\d+)+$/, 'must be numbers with dots between them'))),
  statusActions: v.optional(v.picklist(['positional', 'object'])),
  statusInMsgs: flag,
  downloads: v.optional(v.picklist(['any', 'typed'])),
  downloadResult: v.optional(v.picklist(['arraybuffer', 'uint8array', 'blob'])),
  mediaOwnId: flag,
  whatsNew: v.optional(v.picklist(['one-button', 'two-buttons'])),
  whatsNewAt: v.optional(v.picklist(['synced', 'load'])),
  lazyParticipants: flag,
  groupsStored: flag,
  participantsDelayMs: delayMs,
  participantQueriesAtOnce: count,
  unknownGroups: v.optional(v.picklist(['none', 'created'])),
  groupFlags: v.optional(v.picklist(['as-named', 'inverted'])),
  groupDescription: v.optional(v.picklist(['positional', 'object'])),
  lookUps: v.optional(v.picklist(['pn', 'lid'])),
  deleteForm: v.optional(v.picklist(['positional', 'object'])),
  lazyModules: flag,
  moreLazyModules: flag,
  lateModulesMs: delayMs,
  unknownModules: v.optional(v.picklist(['thrown', 'undefined'])),
  missingModules: v.optional(v.array(moduleName)),
  removedModules: v.optional(v.array(moduleName)),
  pictureRefusals: v.optional(v.picklist(['thrown', 'returned'])),
  pictureIdentity: v.optional(v.picklist(['any', 'lid', 'pn'])),
  contactNames: v.optional(v.picklist(['both', 'lid'])),
  deviceContact: flag,
  minifiedErrors: flag,
  placeholderResend: flag,
  loadDelayMs: delayMs,
  reconnectDelayMs: delayMs,
  idleMs: delayMs,
  awayMs: delayMs,
  offlineProgressEnd: v.optional(v.pipe(v.number(), v.minValue(0), v.maxValue(100))),
  firstSyncMs: delayMs,
  passkeyStepMs: delayMs,
  reloadAfterLinkMs: delayMs,
  qrFirstMs: delayMs,
  qrIntervalMs: delayMs,
  qrCount: count,
  refDelayMs: delayMs,
  pairDelayMs: delayMs,
  syncDelayMs: delayMs,
  syncSteps: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(1000))),
  syncStallAt: v.optional(v.nullable(v.pipe(v.number(), v.minValue(0), v.maxValue(100)))),
  ackDelayMs: delayMs,
  deliveryDelayMs: delayMs,
  unpairedOnLogout: flag,
  purgedVersions: v.optional(v.array(v.string())),
  codeUnlinks: flag,
  codeLimit: v.optional(v.nullable(v.pipe(v.number(), v.integer(), v.minValue(0)))),
  passkeyMs: delayMs,
  oldKeysUnlink: flag,
  onboardingMs: delayMs,
});
