import { expect, it } from 'vitest';
import { stubPage } from '../../testing/page-registry.ts';
import { sharingFields } from './sends.ts';

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
