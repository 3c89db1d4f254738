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
  LookUp,
  MediaKind,
  MessageType,
  NoticeDraft,
  NoticeKind,
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
  Refusal,
  SimulatorClient,
  SocketState,
} from './api.ts';
export { type Build, builds } from './builds.ts';
export { type Certificate, createCertificate } from './certificate.ts';
export { connectSimulator } from './control/client.ts';
export type { PageSwitches, SerializedProperty, SimulatorSettings } from './settings.ts';
export { type Simulator, type SimulatorOptions, startSimulator } from './simulator.ts';
