import { describe, expect, it } from 'vitest';
import { UploadScanner } from './upload-scanner.ts';

/** The pieces that the scanner passes on. */
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
