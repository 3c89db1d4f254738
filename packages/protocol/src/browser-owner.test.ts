import { describe, expect, it } from 'vitest';
import { ownerArgument, ownerIn, profileFlag, profileIn, startOf, statFields } from './browser-owner.ts';

describe('the owner of a browser', () => {
  it('is read back from the command line that names it', () => {
    const owner = { pid: 4_208, startedAt: 103_731 };
    expect(ownerIn(['chromium', ownerArgument(owner), '--headless'])).toEqual(owner);
  });

  it('is undefined if the argument is absent or malformed', () => {
    expect(ownerIn(['chromium', '--headless'])).toBeUndefined();
    expect(ownerIn(['chromium', '--chat-web-owner=4208'])).toBeUndefined();
  });
});

it('the profile is read back from a command line in one string, or in arguments', () => {
  const dir = '/data/a b=c%/session';
  for (const end of [' --lang=en', '\0--lang=en', ''])
    expect(profileIn(`x --js-flags=--a ${profileFlag(dir)}${end}`)).toBe(dir);
  for (const other of ['x --headless', 'x --logfile=%']) expect(profileIn(other)).toBeUndefined();
});

it('reads the fields behind a name with brackets and blanks in it', () => {
  const fields = statFields('7 (a) b) S 1 7 7 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 103731 99 5\n');
  expect(fields.slice(0, 2)).toEqual(['S', '1']);
  expect(startOf(fields)).toBe(103_731);
});
