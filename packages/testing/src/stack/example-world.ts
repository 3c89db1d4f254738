import { EXAMPLE_PNG, exampleIds } from '@chat-web/protocol';
import type { SimulatorClient } from '@chat-web/simulator';
import { BEN, EDITH, FARID } from '../accounts.ts';

/** A JPEG of one colour. */
const SQUARE =
  '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAFA3PEY8MlBGQUZaVVBfeMiCeG5uePWvuZHI////////////////////////////////////////////////////2wBDAVVaWnhpeOuCguv/////////////////////////////////////////////////////////////////////////wAARCAAIAAgDASIAAhEBAxEB/8QAFAABAAAAAAAAAAAAAAAAAAAAAP/EABQQAQAAAAAAAAAAAAAAAAAAAAD/xAAVAQEBAAAAAAAAAAAAAAAAAAAAA//EABQRAQAAAAAAAAAAAAAAAAAAAAD/2gAMAwEAAhEDEQA/AAAk/9k=';

/** The stanza id in a page's message id: the id that phones use. */
export function stanzaOf(messageId: string): string {
  return messageId.split('_')[2] ?? '';
}

/** Creates in the simulator what the examples of the API reference refer to; `own` is the linked account's number. */
export async function prepareExamples(phones: SimulatorClient, own: string): Promise<void> {
  const media = { kind: 'image', base64: EXAMPLE_PNG, mimeType: 'image/png', filename: 'pixel.png' } as const;
  await phones.send(BEN, { id: stanzaOf(exampleIds.inboundMedia), to: own, body: 'A picture', media });
  const poll = { question: 'When?', options: ['Friday', 'Saturday'], multiple: true };
  await phones.send(BEN, { id: stanzaOf(exampleIds.poll), to: own, poll });
  for (const id of [exampleIds.outboundText, exampleIds.doomedText]) {
    await phones.send(own, { id: stanzaOf(id), to: BEN, body: 'Hello agian' });
  }
  await phones.send(exampleIds.oldChat.replace('@c.us', ''), { to: own, body: 'An old message' });
  const group = { id: exampleIds.group, subject: 'Good friends', participants: [BEN] };
  const { inviteCode } = await phones.createGroup(own, group);
  await phones.updateGroup(own, exampleIds.group, { picture: SQUARE, settings: { approveJoins: true } });
  for (const number of [EDITH, FARID]) await phones.joinGroup(number, inviteCode);
  await phones.createGroup(own, { id: exampleIds.groupToLeave, subject: 'Former friends', participants: [BEN] });
  await phones.createGroup(BEN, { subject: 'Open to all', participants: [], inviteCode: exampleIds.inviteCode });
  await phones.send(BEN, { id: stanzaOf(exampleIds.status), to: 'status@broadcast', body: 'Good morning' });
  await phones.createChannel(BEN, { id: exampleIds.channel, name: 'News of the street' });
  await phones.createChannel(own, { id: exampleIds.ownChannel, name: 'News of the shop' });
  await phones.ring(BEN, { id: exampleIds.call, to: own });
  await phones.profile(BEN, { picture: 'present' });
  await phones.profile(own, { business: true });
  await phones.setLabels(own, [{ id: '1', name: 'New customer', colorIndex: 0 }]);
}
