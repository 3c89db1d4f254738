import { switches } from './switches.ts';
import type { WireMessage, WireSelf } from './wire.ts';

const ownKey = /^(true_status@broadcast_[^_]+)_.*$/;

/** In newer builds the account's own statuses always have its LID, whatever the network sends. */
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

/** The key that one of the account's own messages in a group has under the account's other id. */
export function otherOwnKey(key: string, self: WireSelf | undefined): string {
  const [fromMe, remote, id, author] = key.split('_');
  if (!self || fromMe !== 'true' || (author !== self.pn && author !== self.lid)) return key;
  return `true_${remote}_${id}_${author === self.pn ? self.lid : self.pn}`;
}
