/** Ids that examples use. The simulator's world has them, the same each time. */
export const exampleIds = {
  session: 'main',
  person: '12025550102@c.us',
  status: 'false_status@broadcast_3A00000000000000000D_12025550102@c.us',
  inboundMedia: 'false_12025550102@c.us_3A00000000000000000A',
  outboundText: 'true_12025550102@c.us_3EB00000000000000000B',
  doomedText: 'true_12025550102@c.us_3EB00000000000000000C',
  poll: 'false_12025550102@c.us_3A00000000000000000E',
  call: '3A00000000000000000F',
  oldChat: '12025550107@c.us',
  group: '120363000000000001@g.us',
  groupToLeave: '120363000000000002@g.us',
  inviteCode: 'ExampleInvite000000001',
  channel: '120363000000000003@newsletter',
  ownChannel: '120363000000000004@newsletter',
} as const;

/** One transparent pixel. */
export const EXAMPLE_PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

// The path parameters of examples.
const { session: id, person } = exampleIds;
export const exampleSession = { id } as const;
/** A session that waits to be linked. */
export const exampleSpare = { id: 'spare' } as const;
/** A session of another gateway. */
export const exampleElsewhere = { id: 'elsewhere' } as const;
export const exampleMessage = { id, messageId: exampleIds.inboundMedia } as const;
export const exampleChat = { id, chatId: person } as const;
export const exampleOldChat = { id, chatId: exampleIds.oldChat } as const;
export const exampleGroup = { id, groupId: exampleIds.group } as const;
export const exampleInvite = { id, code: exampleIds.inviteCode } as const;
export const exampleContact = { id, contactId: person } as const;
export const exampleStranger = { id, contactId: '12025550107@c.us' } as const;
export const exampleChannel = { id, channelId: exampleIds.channel } as const;
export const exampleOwnChannel = { id, channelId: exampleIds.ownChannel } as const;
export const exampleWebhook = { webhookId: 'wh_0a1b2c3d4e5f' } as const;

/** The id of a host of a cluster. */
export const exampleHost = '8c1d3f5a-0b2e-4c6d-8e9f-a1b2c3d4e5f6';
