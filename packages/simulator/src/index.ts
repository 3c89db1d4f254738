export type { DisturbArguments, Page, PageFault, PasskeyRefusal, PhoneMessage, Unlink } from './api.ts';
export { createCertificate } from './browser-args.ts';
export { type Build, builds } from './builds.ts';
export { connectSimulator, type SimulatorClient } from './control/client.ts';
export type { AccountSeed } from './control/inputs.ts';
export { createPasskey, type Passkey } from './network/passkey.ts';
export { readQr } from './qr-image.ts';
export type { SimulatorSettings } from './settings.ts';
export { type Simulator, type SimulatorOptions, startSimulator } from './simulator.ts';
