import { Msg } from '../models/message.ts';
import type { Page } from '../page.ts';
import type { Modules } from '../registry.ts';
import { revokeModules } from './revoke.ts';
import { type TextStatus, textStatusData } from './text-status.ts';

/** Status actions before May 2026: positional arguments; a failure is thrown. */
export function positionalStatusActions({ connection, outbox, users }: Page): Modules {
  return {
    WAWebSendStatusMsgAction: {
      sendStatusTextMsgAction: async (status: TextStatus) => {
        const self = users.ownWid('pn');
        return outbox.post(self, new Msg(await textStatusData(status, self)));
      },
      sendStatusMediaMsgAction: async (msg: Msg, beforeSend: (msg: Msg) => unknown) => {
        await beforeSend(msg);
        return outbox.post(users.ownWid('pn'), msg);
      },
    },
    ...revokeModules(connection),
  };
}
