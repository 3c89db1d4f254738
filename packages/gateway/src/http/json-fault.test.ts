import { describe, expect, it } from 'vitest';
import { jsonFault } from './json-fault.ts';

const parses = (text: string) => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

describe('the fault of a text that is not JSON', () => {
  it.each([
    ['{"a":1,}', 6, 'has a comma after the last item'],
    ['{"a":[1,2, ]}', 9, 'has a comma after the last item'],
    ['{"a":"x\ny"}', 7, 'has a line break in a string; write it as \\n'],
    ['{"a":"x\ty"}', 7, 'has a tab in a string; write it as \\t'],
    ['{"a":"x\u0001y"}', 7, 'has a control character in a string'],
    ['{"a":"C:\\Users"}', 8, 'has an invalid escape in a string; a backslash is written as \\\\'],
    ['{"a":"\\u12"}', 6, 'has an invalid escape in a string; a backslash is written as \\\\'],
    ['{"a":"x}', 5, 'has a string without a closing quote'],
    ['{"a":1}{"b":2}', 7, 'has more text after its end'],
    ['{"a":1} x', 8, 'has more text after its end'],
    ['{"a":1', 6, 'ends before its closing }'],
    ['{"a":[1', 7, 'ends before its closing ]'],
    ['{"a":', 5, 'ends before its closing }'],
    ['{', 1, 'ends before its closing }'],
    ["{'a':1}", 1, 'has a quote that is not "'],
    ['{\u201ca\u201d:1}', 1, 'has a quote that is not "'],
    ['{a:1}', 1, 'has no name in double quotes where one is expected'],
    ['{"a" 1}', 5, 'has no colon where one is expected'],
    ['{"a":1 "b":2}', 7, 'lacks a comma'],
    ['{"a":1;"b":2}', 6, 'has no comma or } where one is expected'],
    ['{"a":1 /* one */}', 7, 'has a comment, which JSON does not allow'],
    ['// a\n{}', 0, 'has a comment, which JSON does not allow'],
    ['{"a":undefined}', 5, 'has no value where one is expected'],
    ['{"a":NaN}', 5, 'has no value where one is expected'],
    ['{"a":True}', 5, 'has no value where one is expected'],
    ['{"a":01}', 5, 'has no value where one is expected'],
    ['{"a":1.}', 5, 'has no value where one is expected'],
    ['{"a":+1}', 5, 'has no value where one is expected'],
    ['{"a":}', 5, 'has no value where one is expected'],
    ['type=text&to=12025550102', 0, 'has no value where one is expected'],
    ['', 0, 'ends too early'],
  ])('%j: at %i it %s', (text, at, problem) => {
    expect(parses(text)).toBe(false);
    expect(jsonFault(text)).toEqual({ at, problem });
  });

  it.each([
    '{}',
    ' [ ] ',
    '[{},[],"",0,-0,1e9,-1.5E+3,true,false,null]\r\n',
    '{"a":{"b":[{"c":"\\u00e9\\n\\"\\\\\\/ \u{1f600} \u2028 \u007f \u009f \ud800"}]},"a":1}',
  ])('%j has none', (text) => {
    expect(parses(text)).toBe(true);
    expect(jsonFault(text)).toBeUndefined();
  });

  it('is found wherever JSON.parse finds one', () => {
    const valid = '{"a":["x\\n",-1.5e3,true,{"b":null}],"c":{}}';
    for (let at = 0; at < valid.length; at += 1)
      for (const put of ['', ',', '"', '}', ']', '{', ':', '\n', '\\', '0', 'x', '\u0000']) {
        const text = valid.slice(0, at) + put + valid.slice(at + 1);
        expect([text, jsonFault(text) === undefined]).toEqual([text, parses(text)]);
      }
  });

  it('is found in a large text', () => {
    expect(jsonFault(`{"a":"${'\\u0041'.repeat(80_000)}"${' '.repeat(1_000)}`)?.problem).toBe(
      'ends before its closing }',
    );
    expect(jsonFault('['.repeat(500_000))?.at).toBe(500_000);
  });
});
