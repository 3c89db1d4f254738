import { expect, it } from 'vitest';
import { stubPage } from '../../testing/page-registry.ts';
import type { PageMessage, PageRecord } from '../models.ts';
import { changingMessage } from './records.ts';

const message = { id: { id: 'A' } } as PageMessage;
const unknown = { messageSendResult: 'ERROR_UNKNOWN' };
const capped = 'UserReachedMaxMonthlyLimitForNewMessages';

it.each([
  ['edit', 'accepted', { protocolMessageKey: { id: 'A' }, ack: 1 }, { messageSendResult: 'OK' }, undefined],
  ['edit', 'not answered', { protocolMessageKey: { id: 'A' }, ack: 0 }, unknown, undefined],
  ['edit', 'of another message', { protocolMessageKey: { id: 'B' }, ack: -1 }, unknown, undefined],
  ['edit', 'a deletion', { protocolMessageKey: { id: 'A' }, subtype: 'sender_revoke', ack: -1 }, unknown, undefined],
  ['edit', 'refused', { protocolMessageKey: { id: 'A' }, subtype: 'message_edit', ack: -1 }, unknown, 'not_permitted'],
  ['edit', 'refused in its encrypted form', { targetMessageKey: { id: 'A' }, ack: -1 }, unknown, 'not_permitted'],
  ['edit', 'beyond a limit', { protocolMessageKey: { id: 'A' }, ack: -1, errorCode: capped }, unknown, 'rate_limited'],
  [
    'deletion',
    'refused',
    { protocolMessageKey: { id: 'A' }, subtype: 'admin_revoke', ack: -1 },
    unknown,
    'not_permitted',
  ],
  [
    'reaction',
    'refused with a code',
    { reactionParentKey: { id: 'A' } },
    { ...unknown, ackErrorCode: 500 },
    'not_permitted',
  ],
  ['reaction', 'a pin', { pinParentKey: { id: 'A' } }, { ...unknown, ackErrorCode: 500 }, undefined],
  ['pin', 'beyond a limit', { pinParentKey: { id: 'A' } }, { ...unknown, ackErrorCode: 463 }, 'rate_limited'],
] as const)('of %s, the record is %s', async (kind, _what, record: PageRecord, result, code) => {
  const records = { sendMsgRecord: async () => result, sendAddonRecord: async () => result };
  stubPage({ WAWebSendMsgRecordAction: records });
  const send = kind === 'reaction' || kind === 'pin' ? 'sendAddonRecord' : 'sendMsgRecord';
  const refusal = await changingMessage(kind, message, async (refused) => {
    await (records[send] as (record: PageRecord) => Promise<unknown>)(record);
    return refused();
  });
  expect(refusal?.code).toBe(code);
});

it('each of two changes of a message has its own record', async () => {
  const sendMsgRecord = async ({ ack = 0 }: PageRecord) => (ack < 0 ? unknown : { messageSendResult: 'OK' });
  const records: { sendMsgRecord(record: PageRecord): Promise<unknown> } = { sendMsgRecord };
  stubPage({ WAWebSendMsgRecordAction: records });
  const edit = (ack: number) =>
    changingMessage('edit', message, async (refused) => {
      await records.sendMsgRecord({ protocolMessageKey: { id: 'A' }, ack });
      return refused()?.code;
    });
  expect(await Promise.all([edit(-1), edit(1)])).toEqual(['not_permitted', undefined]);
});

it('a build that freezes its modules shows no refusal', async () => {
  const sendMsgRecord = async () => unknown;
  stubPage({ WAWebSendMsgRecordAction: Object.freeze({ sendMsgRecord }) });
  expect(await changingMessage('edit', message, async (refusal) => refusal())).toBeUndefined();
});
