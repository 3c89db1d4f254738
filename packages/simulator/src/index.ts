export type {
  Account,
  AccountSeed,
  Addressing,
  ContactsChange,
  Disturbance,
  Filling,
  Group,
  GroupPrivacy,
  GroupUpdate,
  LinkedDevice,
  MediaKind,
  MessageType,
  OptionsOf,
  OutgoingMedia,
  OutgoingMessage,
  Page,
  PageFault,
  PhoneMessage,
  Picture,
  PictureCode,
  Platform,
  ProfileChange,
  ReceivedMedia,
  SimulatorClient,
  SocketState,
} from './api.ts';
export { type Build, builds } from './builds.ts';
export { connectSimulator } from './control/client.ts';
export type { PageSwitches, SerializedProperty, SimulatorSettings } from './settings.ts';
export { type Simulator, type SimulatorOptions, startSimulator } from './simulator.ts';
