import { expect, it } from 'vitest';
import { stubPage } from '../../testing/page-registry.ts';
import type { PageMessage, PageRecord } from '../models.ts';
import { changingMessage } from './records.ts';

const message = { id: { id: 'A' } } as PageMessage;
const unknown = { messageSendResult: 'ERROR_UNKNOWN' };
const capped = 'UserReachedMaxMonthlyLimitForNewMessages';

it.each([
  ['accepted', { protocolMessageKey: { id: 'A' }, ack: 1 }, { messageSendResult: 'OK' }, undefined],
  ['not answered', { protocolMessageKey: { id: 'A' }, ack: 0 }, unknown, undefined],
  ['of another message', { protocolMessageKey: { id: 'B' }, ack: -1 }, unknown, undefined],
  ['refused', { protocolMessageKey: { id: 'A' }, ack: -1 }, unknown, 'not_permitted'],
  ['refused in its encrypted form', { targetMessageKey: { id: 'A' }, ack: -1 }, unknown, 'not_permitted'],
  ['beyond a limit', { protocolMessageKey: { id: 'A' }, ack: -1, errorCode: capped }, unknown, 'rate_limited'],
  ['refused with a code', { reactionParentKey: { id: 'A' } }, { ...unknown, ackErrorCode: 500 }, 'not_permitted'],
  [
    'refused with the code of a limit',
    { pinParentKey: { id: 'A' } },
    { ...unknown, ackErrorCode: 463 },
    'rate_limited',
  ],
])('a change whose record is %s', async (_what, record: PageRecord, result, code) => {
  const records = { sendMsgRecord: async () => result, sendAddonRecord: async () => result };
  stubPage({ WAWebSendMsgRecordAction: records });
  const send = 'protocolMessageKey' in record ? 'sendMsgRecord' : 'sendAddonRecord';
  const refusal = await changingMessage(message, async (refused) => {
    await (records[send] as (record: PageRecord) => Promise<unknown>)(record);
    return refused();
  });
  expect(refusal?.code).toBe(code);
});

it('a build that freezes its modules shows no refusal', async () => {
  const sendMsgRecord = async () => unknown;
  stubPage({ WAWebSendMsgRecordAction: Object.freeze({ sendMsgRecord }) });
  expect(await changingMessage(message, async (refusal) => refusal())).toBeUndefined();
});
