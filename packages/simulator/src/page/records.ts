import { ServerStatusCodeError } from './errors.ts';
import type { MsgKey } from './msg-key.ts';
import { switches } from './switches.ts';

/** What the page sends for a change of a message: an edit or a deletion, or an addition such as a reaction. */
export interface PageRecord {
  readonly protocolMessageKey?: MsgKey | undefined;
  readonly reactionParentKey?: MsgKey | undefined;
  readonly pinParentKey?: MsgKey | undefined;
  readonly subtype?: 'message_edit' | 'sender_revoke';
  ack: number;
  /** Sends it. */
  readonly request: () => Promise<unknown>;
}

export interface RecordResult {
  readonly messageSendResult: 'OK' | 'ERROR_UNKNOWN';
  readonly ackErrorCode?: number;
}

/** Scripts may replace its functions: they are looked up at each call, as in the real page. */
export const recordAction = {
  sendMsgRecord: (record: PageRecord) => send(record, () => Object.assign(record, { ack: -1 })),
  // Of an addition that was refused, nothing shows that but the code.
  sendAddonRecord: (record: PageRecord) => send(record, () => undefined),
};

async function send({ request }: PageRecord, onNack: () => void): Promise<RecordResult> {
  try {
    await request();
    return { messageSendResult: 'OK' };
  } catch (error) {
    if (!(error instanceof ServerStatusCodeError)) return { messageSendResult: 'ERROR_UNKNOWN' };
    onNack();
    const code = switches.ackErrorCodes ? { ackErrorCode: error.status } : {};
    return { messageSendResult: 'ERROR_UNKNOWN', ...code };
  }
}
