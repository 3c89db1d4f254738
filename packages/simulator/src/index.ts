export type {
  Account,
  DisturbArguments,
  Disturbance,
  Group,
  LinkedDevice,
  LookUp,
  MessageType,
  Page,
  PageFault,
  PhoneMessage,
  ReceivedMedia,
  SocketState,
  Unlink,
  UnlinkCause,
} from './api.ts';
export { type Build, builds } from './builds.ts';
export { type Certificate, createCertificate } from './certificate.ts';
export { connectSimulator, type SimulatorClient } from './control/client.ts';
export type {
  AccountSeed,
  Addressing,
  ContactsChange,
  Filling,
  GroupDraft,
  GroupPrivacy,
  GroupUpdate,
  MediaKind,
  NoticeDraft,
  NoticeKind,
  OutgoingMedia,
  OutgoingMessage,
  Picture,
  PictureCode,
  Platform,
  ProfileChange,
  Refusal,
} from './control/inputs.ts';
export type { PageSwitches, SerializedProperty, SimulatorSettings } from './settings.ts';
export { type Simulator, type SimulatorOptions, startSimulator } from './simulator.ts';
