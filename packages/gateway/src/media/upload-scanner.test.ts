import { describe, expect, it } from 'vitest';
import { bodyBounds, MAX_DEPTH, MAX_VALUES, UploadScanner } from './upload-scanner.ts';

function scan(chunks: readonly string[]) {
  const handed = { rest: [] as string[], upload: [] as string[], ended: 0 };
  const scanner = new UploadScanner('base64', {
    rest: (bytes) => handed.rest.push(Buffer.from(bytes).toString()),
    upload: (bytes) => handed.upload.push(Buffer.from(bytes).toString()),
    uploadEnded: () => {
      handed.ended += 1;
    },
  });
  for (const chunk of chunks) scanner.push(Buffer.from(chunk));
  return handed;
}

describe('UploadScanner', () => {
  it('passes on large pieces, however many strings they contain', () => {
    const strings = `{"x":["${'","'.repeat(4_000)}"],"\\"base64":"\\\\"`;
    expect(scan([strings, ',"base64":"AAAA","y":""}']).rest).toEqual([strings, ',"base64":"', '","y":""}']);
  });

  it('finds the key across any chunk boundary, and no similar key', () => {
    const body = '{"base64x":"no","base6":"no","x":{"base64":"no"},"base64":"yes"}';
    for (let at = 1; at < body.length; at += 1) {
      const { upload, ended } = scan([body.slice(0, at), body.slice(at)]);
      expect([upload.join(''), ended]).toEqual(['yes', 1]);
    }
  });
});

it('a body in memory is limited in depth and number of values', () => {
  const refused = expect.objectContaining({ code: 'invalid_request' });
  const check = (text: string) => bodyBounds().scan(Buffer.from(text));
  const deep = `${'['.repeat(MAX_DEPTH)}${']'.repeat(MAX_DEPTH)}`;
  check(deep);
  expect(() => check(`[${deep}]`)).toThrow(refused);
  const many = `[0${',0'.repeat(MAX_VALUES - 1)}]`;
  check(many);
  expect(() => check(many.replace('[0', '[0,0'))).toThrow(refused);
});
