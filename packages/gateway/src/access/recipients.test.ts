import { type Operation, operations, recipientPattern } from '@chat-web/protocol';
import * as v from 'valibot';
import { expect, it } from 'vitest';
import { requireRecipients } from './recipients.ts';

const known: Record<string, { number: string; lid?: string }> = {
  '81604523377103@lid': { number: '12025550102' },
  '12025550103@c.us': { number: '12025550103', lid: '900@lid' },
  '12025550199@c.us': { number: '12025550199' },
};
const asked: string[] = [];

async function attempt(recipients: string[] | undefined, input: object, scope: 'read' | 'send' = 'send') {
  const check = requireRecipients({ recipients }, { scope }, { ...input }, async (id) => {
    asked.push(id);
    return known[id];
  });
  return check.then(
    () => 'allowed',
    (error: { code: string }) => error.code,
  );
}

it.each([
  ['without a limit', undefined, { to: '12025550102@c.us' }],
  ['to a number', ['1202*@c.us'], { to: '12025550102@c.us' }],
  ['to a group', ['*@g.us'], { to: '120363@g.us' }],
  ['to the status feed', ['status@broadcast'], { to: 'status@broadcast' }],
  ['by a message', ['1202*@c.us'], { messageId: 'false_12025550102@c.us_3EB0_A' }],
  ['to another chat than that of the message', ['1202*@c.us'], { to: '12025550102@c.us', messageId: 'false_9@g.us_A' }],
  ['to a hidden id of a number', ['1202*@c.us'], { to: '81604523377103@lid' }],
  ['to a number of a hidden id', ['900@lid'], { to: '12025550103@c.us' }],
  ['several people', ['1202*@c.us'], { participants: ['12025550102@c.us', '12025550103@c.us'] }],
  [
    'the status of an allowed person',
    ['status@broadcast', '1202*@c.us'],
    { messageId: 'false_status@broadcast_3A_12025550102@c.us' },
  ],
])('%s', async (_, recipients, input) => {
  expect(await attempt(recipients, input)).toBe('allowed');
});

it.each([
  ['another number', ['1202*@c.us'], { to: '13025550102@c.us' }],
  ['a group by a pattern of people', ['*@c.us'], { to: '120363@g.us' }],
  ['the status feed', ['*@c.us'], { to: 'status@broadcast' }],
  ['the status feed by a pattern of lists', ['*@broadcast'], { to: 'status@broadcast' }],
  ['the status of somebody else', ['status@broadcast'], { messageId: 'false_status@broadcast_3A_12025550102@c.us' }],
  ['a hidden id that is not known', ['1202*@c.us'], { to: '5@lid' }],
  ['a person without another id', ['900@lid'], { to: '12025550199@c.us' }],
  ['a message of another chat', ['1202*@c.us'], { messageId: 'true_13025550102@c.us_3EB0' }],
  ['a message that names an allowed chat elsewhere', ['1202*@c.us'], { messageId: 'true_9@g.us_A_12025550102@c.us' }],
  ['one of several', ['1202*@c.us'], { participants: ['12025550102@c.us', '13025550103@c.us'] }],
  ['a group with an allowed person', ['1202*@c.us'], { groupId: '120363@g.us', participants: ['12025550102@c.us'] }],
  ['nobody', ['*@c.us'], { name: 'Shop' }],
  ['an empty list', ['*@c.us'], { participants: [] }],
])('not %s', async (_, recipients, input) => {
  expect(await attempt(recipients, input)).toBe('recipient_not_allowed');
});

it('allows reading, and looks nobody up in vain', async () => {
  asked.length = 0;
  expect(await attempt(['1202*@c.us'], { chatId: '13025550102@c.us' }, 'read')).toBe('allowed');
  expect(await attempt(['1202*@c.us'], { to: '12025550102@c.us' })).toBe('allowed');
  expect(await attempt(['1202*@c.us'], { to: '13025550102@c.us' })).toBe('recipient_not_allowed');
  expect(await attempt(['1202*@c.us'], { participants: Array(21).fill('5@lid') })).toBe('recipient_not_allowed');
  expect(asked).toEqual([]);
});

const sending = Object.entries<Operation>(operations).filter(([, { scope }]) => scope === 'send');
it.each(sending)('%s reaches nobody else with the examples of the reference', async (_, { examples }) => {
  for (const example of Object.values(examples))
    expect(await attempt(['999@c.us', '999@lid'], example)).toBe('recipient_not_allowed');
});

it('patterns are completed to full ids', () => {
  const parsed = (written: string) => v.safeParse(recipientPattern, written).output;
  expect(['+44 1632 960123', '00441632960123', '44*', '+44*', '*', '*@g.us', '9@lid'].map(parsed)).toEqual([
    '441632960123@c.us',
    '441632960123@c.us',
    '44*@c.us',
    '44*@c.us',
    '*@c.us',
    '*@g.us',
    '9@lid',
  ]);
  for (const wrong of ['', '07700900123', '0*', 'Carla', '44*@', '@g.us', 'x@g.us', '*@*', '44**********************'])
    expect(v.is(recipientPattern, wrong)).toBe(false);
});
