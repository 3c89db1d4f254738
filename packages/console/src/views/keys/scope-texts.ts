import type { KeyScope } from '@chat-web/protocol';

/** What a key of each scope may do with its sessions. */
export const SCOPE_TEXTS: Readonly<Record<KeyScope, string>> = {
  read: 'Sees sessions, events, chats and messages. No QR, no codes; it sends and changes nothing.',
  send: 'Also sends messages, and changes groups and the status feed.',
  manage: 'Also starts, stops, deletes and moves sessions, links them by QR or code, and creates webhooks.',
};
