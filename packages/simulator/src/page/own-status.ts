import { switches } from './switches.ts';
import type { WireMessage, WireSelf } from './wire.ts';

const ownKey = /^(true_status@broadcast_[^_]+)_.*$/;

/** Newer builds have the account's own posts to the status feed under its hidden number, whatever the network says. */
export function ownStatus(message: WireMessage, self: WireSelf | undefined): WireMessage {
  const isOwn = message.chat === 'status@broadcast' && message.fromMe;
  if (!self || !isOwn || switches.statusActions === 'positional') return message;
  return { ...message, from: self.lid, author: self.lid };
}

/** The same for the key of a message. */
export function ownStatusKey(key: string, self: WireSelf | undefined): string {
  if (!self || switches.statusActions === 'positional') return key;
  return key.replace(ownKey, `$1_${self.lid}`);
}
