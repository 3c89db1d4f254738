import { changesSomething, type ErrorCode, type WorkerOperationName, workerOperations } from '@chat-web/protocol';
import { declared } from './dispatch.ts';
import { limitSeconds, refusedByNetwork } from './page/refusal.ts';

/**
 * How the page reports that the network has refused a change: `code`, with the network's code; `message`, as for a
 * message that was not sent; `refused`, without its code; `ignored`, only by not applying it; `unknown`, as any failure;
 * `hidden`, not at all.
 */
type Reporting = 'code' | 'message' | 'refused' | 'ignored' | 'unknown' | 'hidden';

/** Those that do not report a code. */
const REPORTING: { readonly [N in WorkerOperationName]?: Reporting } = {
  sendMessage: 'message',
  forwardMessage: 'message',
  editMessage: 'message',
  deleteMessage: 'message',
  pinMessage: 'message',
  postStatus: 'message',
  postToChannel: 'refused',
  markChatRead: 'ignored',
  markStatusSeen: 'unknown',
  leaveGroup: 'ignored',
  starMessage: 'hidden',
  markChatUnread: 'hidden',
  archiveChat: 'hidden',
  pinChat: 'hidden',
  muteChat: 'hidden',
  clearChat: 'hidden',
  deleteChat: 'hidden',
  setChatLabels: 'hidden',
  setChatState: 'hidden',
  subscribePresence: 'hidden',
  setProfileName: 'hidden',
  setPresence: 'hidden',
};

// The phone is asked for older messages; the request for a code to link with has its own errors.
const NOT_REFUSED: readonly WorkerOperationName[] = ['loadOlderMessages', 'requestPairingCode'];

/** The operations of a linked account that the network can refuse to carry out. */
export const REFUSABLE = (Object.keys(workerOperations) as WorkerOperationName[]).filter(
  (name) => changesSomething(workerOperations[name]) && !NOT_REFUSED.includes(name),
);

/** The error of an operation that the network refuses with that code; undefined if it succeeds. */
export function answerToRefusal(name: WorkerOperationName, code: number): ErrorCode | undefined {
  switch (REPORTING[name] ?? 'code') {
    case 'code':
      return declared(refusedByNetwork(code), name).code;
    case 'message':
      return limitSeconds(code) === undefined ? 'not_permitted' : 'rate_limited';
    case 'refused':
      return 'not_permitted';
    case 'ignored':
      return 'client_failed';
    case 'unknown':
      return 'outcome_unknown';
    case 'hidden':
      return undefined;
  }
}
