import { describe, expect, it } from 'vitest';
import { DeafnessCheck } from './deafness-check.ts';

const live = { id: 'live', isNew: true };
const history = { id: 'history', isNew: false };

describe('a page', () => {
  it('is deaf when a live message is undelivered at two checks in a row', () => {
    const deafness = new DeafnessCheck();
    expect(deafness.check([live])).toEqual({ missed: [], hearing: 'quiet' });
    expect(deafness.check([live])).toEqual({ missed: [live], hearing: 'deaf' });
    expect(deafness.check([])).toEqual({ missed: [], hearing: 'quiet' });
    expect(deafness.check([live])).toEqual({ missed: [], hearing: 'quiet' });
  });

  it('is listening if it reported a message since the last check, even if it missed another', () => {
    const deafness = new DeafnessCheck();
    deafness.check([live]);
    deafness.onReported();
    expect(deafness.check([live])).toEqual({ missed: [live], hearing: 'listening' });
    expect(deafness.check([live])).toEqual({ missed: [live], hearing: 'deaf' });
  });

  it('is not deaf for history that it has loaded', () => {
    const deafness = new DeafnessCheck();
    deafness.check([history]);
    expect(deafness.check([history])).toEqual({ missed: [history], hearing: 'quiet' });
  });
});
