import { describe, expect, it } from 'vitest';
import { referralOf, selectionOf } from './message-contents.ts';

describe('a chosen', () => {
  it.each([
    ['button', { type: 'buttons_response', selectedButtonId: 'b1', body: 'Yes' }, { id: 'b1', text: 'Yes' }],
    ['button of a template', { type: 'template_button_reply', selectedId: 'b2', body: 'No' }, { id: 'b2', text: 'No' }],
    [
      'row of a list',
      {
        type: 'list_response',
        body: 'Cake\nsweet',
        listResponse: { title: 'Cake', singleSelectReply: { selectedRowId: 'r1' } },
      },
      { id: 'r1', text: 'Cake' },
    ],
    [
      'button of a flow',
      { type: 'interactive_response', body: 'Buy', interactivePayload: { paramsJson: '{"id":"q1"}' } },
      { id: 'q1', text: 'Buy' },
    ],
    [
      'form',
      { type: 'interactive_response', body: 'Sent', interactivePayload: { paramsJson: '{"answers":[]}' } },
      undefined,
    ],
    ['nonsense', { type: 'interactive_response', body: 'Sent', interactivePayload: { paramsJson: 'null' } }, undefined],
    ['text', { type: 'chat', body: 'Yes', selectedButtonId: 'b1' }, undefined],
  ])('%s has its id and text', (_, message, selected) => {
    expect(selectionOf(message)).toEqual(selected);
  });
});

it('a person who comes from an advertisement has what is known of it', () => {
  const known = { sourceUrl: 'https://fb.me/x', sourceId: '1', title: 't', ctwaClid: 'A', conversionSource: 'FB_Ads' };
  const referral = { url: 'https://fb.me/x', id: '1', title: 't', clickId: 'A' };
  expect(referralOf({ ctwaContext: { ...known, sourceType: 'ad' } })).toEqual({ ...referral, type: 'ad' });
  expect(referralOf({ ctwaContext: known })).toEqual({ ...referral, type: 'FB_Ads' });
  expect(referralOf({ ctwaContext: { sourceUrl: 7, sourceId: { long: 1 } } })).toEqual({});
  expect(referralOf({ ctwaContext: null })).toBeUndefined();
});
