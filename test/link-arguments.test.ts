import { describe, expect, it } from 'vitest';
import { readArguments } from '../scripts/link/arguments.ts';

const env = { XDG_STATE_HOME: '/state' };
const read = (gateway: string, session = 'main') => readArguments(['--gateway', gateway, '--session', session], env);

describe('the arguments of chat-web link', () => {
  it('give a folder that the next run finds, for each session and gateway, with a short path', () => {
    const folder = read('https://gateway.example.com')?.folder ?? '';
    expect(read('https://gateway.example.com/')?.folder).toBe(folder);
    expect(read('https://other.example.com')?.folder).not.toBe(folder);
    const long = read('https://gateway.example.com', 'x'.repeat(64))?.folder ?? '';
    expect(long).not.toBe(folder);
    expect(long).toMatch(/links.[0-9a-f]{16}$/);
  });

  it.each([
    'http://gateway.example.com',
    'http://127.0.0.1.example.com',
    'ftp://127.0.0.1',
    'https://me:secret@x.example',
  ])('are refused where the session would be sent unencrypted, or a password be visible: %s', (url) =>
    expect(() => read(url)).toThrow(/--gateway must/),
  );
});
