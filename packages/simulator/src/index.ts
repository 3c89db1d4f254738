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
  PasskeyAnswer,
  PasskeyRefusal,
  PhoneMessage,
  ReceivedMedia,
  RegisteredPasskey,
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
  PasskeyHandoff,
  PasskeyRegistration,
  Picture,
  PictureCode,
  Platform,
  ProfileChange,
  Refusal,
} from './control/inputs.ts';
export { createPasskey, type Passkey } from './passkey.ts';
export type { PageSwitches, SerializedProperty, SimulatorSettings } from './settings.ts';
export { type Simulator, type SimulatorOptions, startSimulator } from './simulator.ts';
