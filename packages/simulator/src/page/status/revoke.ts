import type { Connection } from '../connection.ts';
import type { Msg } from '../models/message.ts';
import type { Status } from '../models/statuses.ts';
import type { Modules } from '../registry.ts';

/** Deletes an own status. It reports a failure only to the page itself. */
export function revokeModules(connection: Connection): Modules {
  const failures = { postStatusSendFailure: (_error: unknown) => {} };
  const sendStatusRevokeMsgAction = async (status: Pick<Status, 'revokeMsgs'>, msg: Msg): Promise<void> => {
    // Without a feed this is a TypeError, and nothing is sent.
    status.revokeMsgs([String(msg.get('id'))]);
    try {
      await connection.request('revoke', { id: msg.get('id')?.id ?? '' });
    } catch (error) {
      failures.postStatusSendFailure(error);
    }
  };
  return { WAWebRevokeStatusAction: { sendStatusRevokeMsgAction }, WAWebPostSendStatusFailure: failures };
}
