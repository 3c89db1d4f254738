import { expect, it } from 'vitest';
import { hasCaption, textOf } from './message-texts.ts';

const file = { directPath: '/v/a', body: 'thumbnail' };

it.each([
  ['a text', { type: 'chat', body: 'hello', title: 'preview', description: 'of a link' }, 'hello'],
  ['an image', { type: 'image', caption: 'look', ...file }, 'look'],
  ['an image that the page does not have', { type: 'image', body: 'thumbnail' }, undefined],
  ['a location', { type: 'location', body: 'thumbnail', loc: 'Café\nMain St' }, 'Café\nMain St'],
  ['a location without a name', { type: 'location', body: 'thumbnail' }, undefined],
  ['a poll', { type: 'poll_creation', pollName: 'When?' }, 'When?'],
  ['results of a poll', { type: 'poll_result_snapshot', pollName: 'When?' }, 'When?'],
  [
    'a template',
    { type: 'chat', isFromTemplate: true, title: 'Hi', body: 'Your order', caption: 'Your order', footer: 'Shop' },
    'Hi\nYour order\nShop',
  ],
  [
    'a template with an image',
    { type: 'image', isFromTemplate: true, caption: 'New', footer: 'Shop', ...file },
    'New\nShop',
  ],
  [
    'a template with a place',
    { type: 'location', isFromTemplate: true, body: 'thumbnail', caption: 'Come', footer: 'Shop' },
    'Come\nShop',
  ],
  [
    'buttons',
    { type: 'chat', isDynamicReplyButtonsMsg: true, title: 'Hi', body: 'Yes?', footer: 'Shop' },
    'Hi\nYes?\nShop',
  ],
  ['a native flow', { type: 'native_flow', title: 'Hi', body: 'Pay', caption: 'Pay', footer: '' }, 'Hi\nPay'],
  ['a list', { type: 'list', list: { title: 'Menu', description: 'Choose' }, footer: 'Bar' }, 'Menu\nChoose\nBar'],
  ['a list of another build', { type: 'list', body: 'Choose' }, 'Choose'],
  [
    'an interactive message',
    { type: 'interactive', interactiveHeader: { title: 'Hi' }, caption: 'Go', footer: 'Shop' },
    'Hi\nGo\nShop',
  ],
  ['a carousel', { type: 'interactive', caption: 'All', carouselCardsParsed: [{ caption: 'one' }, null] }, 'All\none'],
  ['an old template', { type: 'hsm', body: 'Your code' }, 'Your code'],
  ['an order', { type: 'order', orderTitle: 'Two cakes', message: 'please', body: '' }, 'Two cakes\nplease'],
  ['a product', { type: 'product', title: 'Cake', description: 'sweet', ...file }, 'Cake\nsweet'],
  ['an invitation to a group', { type: 'groups_v4_invite', comment: 'Join', inviteGrpName: 'Trip' }, 'Join\nTrip'],
  [
    'an invitation to a channel',
    { type: 'newsletter_admin_invite', newsletterAdminInviteInfo: { newsletterName: 'News', inviteMessage: '' } },
    'News',
  ],
  [
    'an event',
    { type: 'event_creation', eventName: 'Party', eventDescription: 'at 8', eventLocation: { name: 'Bar' } },
    'Party\nat 8\nBar',
  ],
  ['a payment', { type: 'payment', paymentNoteMsg: { body: 'thanks' } }, 'thanks'],
  ['an assistant', { type: 'rich_response', richResponse: { fragments: [{ text: 'a' }, {}, { text: 'b' }] } }, 'a\nb'],
  ['a type named like a property', { type: 'constructor', body: 'x' }, 'x'],
])('the text of %s is what phones show', (_, message, text) => {
  expect(textOf(message)).toBe(text);
});

it('only files have captions: templates have texts', () => {
  const has = [
    { type: 'document' },
    { type: 'chat' },
    { type: 'image', isFromTemplate: true },
    { type: 'product', ...file },
  ];
  expect(has.map(hasCaption)).toEqual([true, false, false, false]);
});
