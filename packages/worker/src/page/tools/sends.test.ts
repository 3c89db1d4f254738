import { expect, it } from 'vitest';
import { stubPage } from '../../testing/page-registry.ts';
import { mentioned, sharingFields } from './sends.ts';

const group = '9@g.us';
const on = { sharingLimited: true, trigger: 1, initiatedBy: 'me@c.us', limitSharingSettingTimestamp: 5 };

it.each([
  [undefined, {}],
  [{ ...on, sharingLimited: false }, {}],
  [on, { limitSharing: { sharingLimited: true, trigger: 1, initiatedByMe: true, limitSharingSettingTimestamp: 5 } }],
  [{ ...on, trigger: 'CHAT_SETTING', initiatedBy: '1@c.us' }, { limitSharing: { trigger: 7, initiatedByMe: false } }],
])('a message has the setting of its chat: %j', (limitSharing, fields) => {
  const getLimitSharingTriggerFromGroupSettingsChange = () => 7;
  stubPage({ WAWebLimitSharingPropMappingUtils: { getLimitSharingTriggerFromGroupSettingsChange } }, { me: 'me@c.us' });
  expect(sharingFields({ id: group, limitSharing } as never)).toMatchObject(fields);
});

it('a person is mentioned by the form of the number that the page has', () => {
  const [known, lid] = ['5215512345678@c.us', '8@lid'];
  const Contact = { get: (id: string) => (id === known ? {} : undefined) };
  stubPage({ WAWebCollections: { Contact } }, { people: [{ number: known, lid }] });
  const mention = (chat: object) => mentioned(chat as never, ['525512345678@c.us'], 'Hi @525512345678');
  expect(mention({ id: '1@c.us' })).toEqual({ ids: [known], text: 'Hi @5215512345678' });
  expect(mention({ id: group })).toEqual({ ids: [known], text: 'Hi @5215512345678' });
  expect(mention({ id: group, groupMetadata: { isLidAddressingMode: true } })).toEqual({ ids: [lid], text: 'Hi @8' });
});
