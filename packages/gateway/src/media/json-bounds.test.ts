import { describe, expect, it } from 'vitest';
import { assertBounded, MAX_DEPTH, MAX_VALUES } from './json-bounds.ts';

const refused = expect.objectContaining({ code: 'invalid_request' });
const check = (text: string) => assertBounded(Buffer.from(text));

describe('a body in memory', () => {
  it('is limited in depth and number of values', () => {
    const deep = `${'['.repeat(MAX_DEPTH)}${']'.repeat(MAX_DEPTH)}`;
    check(deep);
    expect(() => check(`[${deep}]`)).toThrow(refused);
    const many = `[0${',0'.repeat(MAX_VALUES - 1)}]`;
    check(many);
    expect(() => check(many.replace('[0', '[0,0'))).toThrow(refused);
  });

  it('may have anything in its strings', () => {
    check(JSON.stringify({ text: `${'[{,'.repeat(MAX_VALUES)}\\"`, end: '\\' }));
    expect(() => check(`{"text":"\\\\",${'[],'.repeat(MAX_VALUES)}`)).toThrow(refused);
  });

  it('with an unterminated string is left to the parser', () => {
    for (const text of ['{"a', '{"a\\', '"', '\\']) check(text);
  });
});
