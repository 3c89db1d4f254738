import * as v from 'valibot';

/** The name of the property that carries an id's serialised form; builds of the real page differ. */
export type SerializedProperty = '_serialized' | '$1';

/** How the simulator behaves. All times are in milliseconds. */
export interface SimulatorSettings {
  /** For message ids. */
  idProperty: SerializedProperty;
  /** For ids of people and chats. */
  widProperty: SerializedProperty;
  /** How long the first QR of a page holds, and each after it; how many there are before the page goes idle. */
  qrFirstMs: number;
  qrIntervalMs: number;
  qrCount: number;
  /** From UNPAIRED until the first QR reference is there; a QR that is read before begins with `undefined,`. */
  refDelayMs: number;
  /** From the scan until the page has its link. */
  pairDelayMs: number;
  /** From CONNECTED until the page has synced. */
  syncDelayMs: number;
  /** From a send until the server has it (ack 1). */
  ackDelayMs: number;
  /** From ack 1 until it is delivered (ack 2). */
  deliveryDelayMs: number;
  /** How long a page waits before it connects again. */
  reconnectDelayMs: number;
  /**
   * Whether an unlinked page says UNPAIRED before it reloads. whatsapp-web.js closes the browser if it does, with
   * `disconnected` UNPAIRED; if it does not, `disconnected` LOGOUT comes and the browser goes on to a new QR.
   */
  unpairedOnLogout: boolean;
  /** How long a newly linked page may leave the dialogue "What's new" unanswered before it is unlinked. */
  onboardingMs: number;
}

/** As the real page, but quick. */
export const defaultSettings: Readonly<SimulatorSettings> = {
  idProperty: '_serialized',
  widProperty: '_serialized',
  qrFirstMs: 60_000,
  qrIntervalMs: 20_000,
  qrCount: 6,
  refDelayMs: 30,
  pairDelayMs: 100,
  syncDelayMs: 300,
  ackDelayMs: 20,
  deliveryDelayMs: 20,
  reconnectDelayMs: 500,
  unpairedOnLogout: false,
  onboardingMs: 300_000,
};

const property = v.optional(v.picklist(['_serialized', '$1']));
const delayMs = v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(3_600_000)));

/** Checks a change of settings that came from outside. */
export const settingsSchema = v.strictObject({
  idProperty: property,
  widProperty: property,
  qrFirstMs: delayMs,
  qrIntervalMs: delayMs,
  qrCount: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(1000))),
  refDelayMs: delayMs,
  pairDelayMs: delayMs,
  syncDelayMs: delayMs,
  ackDelayMs: delayMs,
  deliveryDelayMs: delayMs,
  reconnectDelayMs: delayMs,
  unpairedOnLogout: v.optional(v.boolean()),
  onboardingMs: delayMs,
});
