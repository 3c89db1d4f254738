import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { operations } from '@chat-web/protocol';
import { describe, expect, it } from 'vitest';
import { asClient, asCurl } from './call-text.ts';
import type { DraftedCall } from './draft.ts';

const place = { url: 'http://127.0.0.1:3000', hasToken: true };
const call = (given: Partial<DraftedCall>): DraftedCall => ({
  ...{ path: { id: 'main' }, query: {}, body: undefined, file: undefined, idempotencyKey: undefined },
  ...given,
});
/** The input of curl from a shell: its arguments, and its standard input. */
function run(command: string, cwd = tmpdir()): { args: string[]; read: string } {
  const shell = `curl() { printf '%s\\0' "$@"; if [ "$last" = 1 ]; then printf '\\0'; cat; fi; }\n${command}`;
  const output = execFileSync('bash', ['-c', shell], {
    ...{ cwd, encoding: 'utf8', input: '' },
    env: { ...process.env, TOKEN: 't', last: command.includes('@-') ? '1' : '' },
  });
  const [args = '', read = ''] = output.split('\0\0');
  return { args: args.split('\0').filter(Boolean), read };
}

const HOSTILE = `'; touch owned; '$(id)\`id\`"\\\n!! \u202e<script>`;

describe('a call as a command', () => {
  it('sends the same request as the client', () => {
    const body = { type: 'text', to: '+12025550102', body: 'Hello' };
    expect(asCurl(operations.sendMessage, call({ body, idempotencyKey: 'a-1' }), place)).toBe(
      [
        "curl -X POST 'http://127.0.0.1:3000/sessions/main/messages' \\",
        '  -H "Authorization: Bearer $TOKEN" \\',
        "  -H 'Content-Type: application/json' \\",
        "  -H 'Idempotency-Key: a-1' \\",
        `  -d '{"type":"text","to":"+12025550102","body":"Hello"}'`,
      ].join('\n'),
    );
    const open = { ...place, hasToken: false };
    expect(asCurl(operations.listChats, call({}), open)).toBe("curl 'http://127.0.0.1:3000/sessions/main/chats'");
    expect(asCurl(operations.listChats, call({ path: { id: '' } }), open)).toContain('/sessions/:id/chats');
  });

  it('quotes any text as one word', () => {
    const body = { type: 'text', to: '1', body: HOSTILE };
    const path = { id: "a'b/../c" };
    const command = asCurl(operations.sendMessage, call({ path, body }), place);
    expect(command).not.toContain('\u202e');
    const { args } = run(command);
    expect(args.slice(0, 5)).toEqual([
      ...['-X', 'POST', "http://127.0.0.1:3000/sessions/a'b%2F..%2Fc/messages", '-H', 'Authorization: Bearer t'],
    ]);
    expect(JSON.parse(args.at(-1) ?? '')).toEqual(body);
  });

  it('reads a file from the current folder', () => {
    const folder = mkdtempSync(join(tmpdir(), 'chat-web-test-'));
    writeFileSync(join(folder, 'a b.png'), 'bytes');
    const body = { type: 'image', to: '1', caption: HOSTILE };
    const { args, read } = run(
      asCurl(operations.sendMessage, call({ body, file: new File([], 'a b.png') }), place),
      folder,
    );
    expect(args.slice(-2)).toEqual(['--data-binary', '@-']);
    expect(JSON.parse(read)).toEqual({ ...body, base64: btoa('bytes') });
    rmSync(folder, { recursive: true });
  });

  it('does not repeat an unusual file name', () => {
    for (const name of ['-rf', '../a', "a'b", 'a\u202egnp.exe', '$(id)']) {
      const command = asCurl(operations.sendMessage, call({ body: {}, file: new File([], name) }), place);
      expect(command).toContain("base64 -w 0 'file';");
    }
  });

  it('saves files from the response', () => {
    expect(asCurl(operations.getPicture, call({}), place)).toMatch(/-o media$/);
    expect(asCurl(operations.exportSession, call({}), place)).toMatch(/-o session\.tar$/);
    const file = new File([], 'main.tar');
    expect(asCurl(operations.importSession, call({ file }), place)).toMatch(/x-tar' \\\n {2}-T 'main\.tar'$/);
  });
});

describe('a call with the client', () => {
  it('is a program', () => {
    const body = { type: 'image', to: '1', caption: "It's", tags: ['a'] };
    const file = new File([], 'a.png');
    const text = asClient('sendMessage', operations.sendMessage, call({ body, file, idempotencyKey: 'k' }), place);
    expect(text).toBe(`import { openAsBlob } from 'node:fs';
import { createClient } from '@chat-web/host';

const client = createClient({ url: 'http://127.0.0.1:3000', token: process.env.TOKEN });
const answer = await client.sendMessage({
  id: 'main',
  type: 'image',
  to: '1',
  caption: 'It\\'s',
  tags: ["a"],
  base64: await openAsBlob('a.png'),
}, { idempotencyKey: 'k' });`);
  });

  it('quotes any text as one literal', () => {
    const text = asClient('editMessage', operations.editMessage, call({ path: {}, body: { body: HOSTILE } }), place);
    const literal = /body: (.*),\n/.exec(text)?.[1] ?? '';
    expect(new Function(`return ${literal}`)()).toBe(HOSTILE);
    expect(asClient('listKeys', operations.listKeys, call({ path: {} }), place)).toMatch(/client\.listKeys\(\);$/);
  });
});
