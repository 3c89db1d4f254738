export type {
  Account,
  AccountSeed,
  Addressing,
  Disturbance,
  LinkedDevice,
  OutgoingMessage,
  Page,
  PhoneMessage,
  Platform,
  SimulatorClient,
} from './api.ts';
export { connectSimulator } from './control/client.ts';
export type { SerializedProperty, SimulatorSettings } from './settings.ts';
export { type Simulator, type SimulatorOptions, startSimulator } from './simulator.ts';
