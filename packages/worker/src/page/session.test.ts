import { expect, it, vi } from 'vitest';
import { queryNetwork } from './session.ts';

const id = (text: string | undefined) => text && { toString: () => text };

it.each([
  ['1@c.us', '9@lid', '1@c.us'],
  ['1:7@c.us', undefined, '1@c.us'],
  // For an account whose number the page does not know, the hidden id is queried.
  [undefined, '9:7@lid', '9@lid'],
])('an account with %s and %s queries %s', async (number, lid, asked) => {
  const queryWidExists = vi.fn();
  const me = { getMaybeMePnUser: () => id(number), getMaybeMeLidUser: () => id(lid) };
  const modules = { ...me, createWid: (text: string) => text, queryWidExists };
  vi.stubGlobal('window', { require: () => modules });
  await queryNetwork();
  expect(queryWidExists.mock.calls).toEqual([[asked]]);
});
