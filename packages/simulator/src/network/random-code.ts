import { randomInt } from 'node:crypto';

const alphabet = '123456789ABCDEFGHJKLMNPQRSTVWXYZ';
const codeLength = 8;

/** A code that a person reads on one device and types or compares on another. */
export function randomCode(): string {
  return Array.from({ length: codeLength }, () => alphabet[randomInt(alphabet.length)]).join('');
}
