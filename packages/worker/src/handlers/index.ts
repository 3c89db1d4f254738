import type { HandlerDependencies, WorkerHandlers } from '../client/port.ts';
import { accountHandlers } from './account.ts';
import { channelHandlers } from './channels.ts';
import { chatChangeHandlers, chatHandlers } from './chats.ts';
import { contactDetailHandlers } from './contact-details.ts';
import { contactHandlers } from './contacts.ts';
import { groupDetailsHandlers, groupPictureHandlers } from './group-details.ts';
import { groupInviteHandlers } from './group-invites.ts';
import { groupHandlers } from './groups.ts';
import { labelHandlers } from './labels.ts';
import { messageQueryHandlers } from './message-queries.ts';
import { forwardingHandlers, messageHandlers } from './messages.ts';
import { statusFeedHandlers } from './status-feed.ts';

/** Handlers of every operation of a worker; a missing one does not compile. */
export function createHandlers(dependencies: HandlerDependencies): WorkerHandlers {
  const { page, linking } = dependencies;
  return {
    requestPairingCode: async ({ id, phoneNumber }) => {
      const number = phoneNumber.slice(0, phoneNumber.indexOf('@'));
      return { id, ...(await linking.requestCode(number)) };
    },
    rejectCall: async ({ callId }, { time }) => {
      await page.change(time.rest(), 'rejectCall', callId, time.step('ringing'));
      return { callId, rejected: true };
    },
    ...messageHandlers(dependencies),
    ...messageQueryHandlers(dependencies),
    ...forwardingHandlers(dependencies),
    ...chatHandlers(dependencies),
    ...chatChangeHandlers(dependencies),
    ...labelHandlers(dependencies),
    ...groupHandlers(dependencies),
    ...groupDetailsHandlers(dependencies),
    ...groupInviteHandlers(dependencies),
    ...groupPictureHandlers(dependencies),
    ...contactHandlers(dependencies),
    ...contactDetailHandlers(dependencies),
    ...statusFeedHandlers(dependencies),
    ...accountHandlers(dependencies),
    ...channelHandlers(dependencies),
  };
}
