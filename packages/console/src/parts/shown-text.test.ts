import { describe, expect, it } from 'vitest';
import { jsonText, shownText } from './shown-text.ts';

describe('texts of strangers', () => {
  it('are shown in one line, truncated, and neither reverse nor cover anything', () => {
    expect(shownText('photo\u202egpj.exe\n\n<b>')).toBe('photogpj.exe <b>');
    expect(shownText('\u2067right\u2069 ')).toBe('right');
    expect(shownText(`a${'\u0301'.repeat(500)}b`)).toBe(`a${'\u0301'.repeat(4)}b`);
    expect(shownText('x'.repeat(10_000), 10)).toBe(`${'x'.repeat(10)} …`);
    expect(shownText('12345678👍👍', 9)).toBe('12345678 …');
  });

  it('have nothing invisible as JSON, which means the same', () => {
    const value = { name: 'a\u202eb\u200f\u0085\ufeff\u200b\u{e0041}', family: '👨‍👩‍👧', line: 'one\ntwo' };
    const text = jsonText(value);
    expect(text).toContain('a\\u202eb\\u200f\\u0085\\ufeff\\u200b\\udb40\\udc41');
    expect(text).toContain('👨‍👩‍👧');
    expect(JSON.parse(text)).toEqual(value);
    expect(jsonText(undefined)).toBe('undefined');
  });
});
