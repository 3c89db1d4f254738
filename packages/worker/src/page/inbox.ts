import type { PageMessage, PageWindow } from './window.ts';

declare const window: PageWindow;

/** An inbound message that the page holds: `isNew` if it came in live, and was not loaded as history. */
export interface HeldMessage {
  readonly id: string;
  readonly isNew: boolean;
}

/** The inbound messages since a time (Unix seconds) that the page holds in memory, oldest first. */
export function inboundSince(sinceSeconds: number): HeldMessage[] {
  const { Chat, Msg } = window.require('WAWebCollections');
  // Timestamps are whole seconds; within one, a chat knows the order of its messages.
  const places = new Map<string, number>();
  for (const chat of Chat.getModelsArray().filter(({ t }) => (t ?? 0) >= sinceSeconds))
    for (const [place, { id }] of chat.msgs.getModelsArray().entries()) places.set(String(id), place);
  const placeOf = ({ id }: PageMessage) => places.get(String(id)) ?? 0;
  // Notices of groups are no messages; what is not decrypted yet is told of when it is; what was taken back is not.
  const untold = [
    'gp2',
    'ciphertext',
    'revoked',
    'notification',
    'notification_template',
    'e2e_notification',
    'protocol',
  ];
  const isInbound = ({ id, t, type }: PageMessage) => !id.fromMe && (t ?? 0) >= sinceSeconds && !untold.includes(type);
  return Msg.getModelsArray()
    .filter(isInbound)
    .sort((a, b) => (a.t ?? 0) - (b.t ?? 0) || placeOf(a) - placeOf(b))
    .map((message) => ({ id: String(message.id), isNew: message.isNewMsg === true }));
}

/**
 * Has the page load what it has stored of chats that are newer than a time (Unix seconds), back to that time: after a
 * start it holds only the last few of each. Ends when the time given is over.
 */
export async function loadSince(sinceSeconds: number, timeoutMs: number): Promise<void> {
  const { Chat } = window.require('WAWebCollections');
  const { loadEarlierMsgs } = window.require('WAWebChatLoadMessages');
  const deadline = Date.now() + timeoutMs;
  const isLate = new Promise<void>((resolve) => setTimeout(resolve, timeoutMs));
  for (const chat of Chat.getModelsArray().filter(({ t }) => (t ?? 0) >= sinceSeconds)) {
    const reachesBack = () => chat.msgs.getModelsArray().some(({ t }) => (t ?? 0) < sinceSeconds);
    while (!reachesBack() && Date.now() < deadline) {
      const loaded = await Promise.race([loadEarlierMsgs({ chat }).catch(() => undefined), isLate]);
      if (!loaded || loaded.length === 0) break;
    }
  }
}

/** The models of messages by their ids, in that order; those that are gone or not to be read are left out. */
export function messageModels(ids: readonly string[]): Record<string, unknown>[] {
  const { Msg } = window.require('WAWebCollections');
  return ids.flatMap((id) => {
    const message = Msg.get(id);
    try {
      return message ? [window.WWebJS.getMessageModel(message)] : [];
    } catch {
      return []; // One of a kind that cannot be read must not stand in the way of the others.
    }
  });
}
