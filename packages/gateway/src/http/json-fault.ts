/** What is wrong with a text that is not JSON, and the index where that is. */
export interface JsonFault {
  readonly at: number;
  /** Follows "the JSON of the body". */
  readonly problem: string;
}

const WHITE_SPACE = /[\t\n\r ]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.+-])/y;
const LITERAL = /(?:true|false|null)(?!\w)/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;
// JSON forbids only some of the control characters.
const PLAIN = /[^"\\\p{Cc}]+|[\u007f-\u009f]+/uy;

/**
 * Finds the first fault. `JSON.parse` names the place only for some, and repeats what was sent. Undefined if the text
 * is JSON.
 */
export function jsonFault(text: string): JsonFault | undefined {
  let at = 0;
  /** The brackets that are open. */
  const open: string[] = [];
  const fault = (problem: string, where = at): JsonFault => ({ at: where, problem });

  function take(pattern: RegExp): boolean {
    pattern.lastIndex = at;
    const length = pattern.exec(text)?.[0].length ?? 0;
    at += length;
    return length > 0;
  }

  function stringFault(): JsonFault | undefined {
    const start = at;
    at += 1;
    for (;;) {
      while (take(PLAIN) || take(ESCAPE));
      const char = text[at];
      if (char === '"') {
        at += 1;
        return undefined;
      }
      if (char === undefined) return fault('has a string without a closing quote', start);
      if (char === '\\') return fault('has an invalid escape in a string; a backslash is written as \\\\');
      if (char === '\n' || char === '\r') return fault('has a line break in a string; write it as \\n');
      return fault(char === '\t' ? 'has a tab in a string; write it as \\t' : 'has a control character in a string');
    }
  }

  /** The fault of whatever is here instead of a value, or of a name with `expected`. */
  function wrong(expected: string): JsonFault {
    const char = text[at];
    if (char === undefined)
      return fault(open.length > 0 ? `ends before its closing ${closerOf(open.at(-1))}` : 'ends too early');
    if (char === "'" || char === '\u2018' || char === '\u201c' || char === '\u201d')
      return fault('has a quote that is not "');
    if (char === '/' || char === '#') return fault('has a comment, which JSON does not allow');
    return fault(`has no ${expected} where one is expected`);
  }

  let state: 'value' | 'first value' | 'name' | 'first name' | 'next' = 'value';
  for (;;) {
    take(WHITE_SPACE);
    const char = text[at];
    if (state === 'next') {
      const closer = open.length > 0 ? closerOf(open.at(-1)) : undefined;
      if (closer === undefined) return char === undefined ? undefined : fault('has more text after its end');
      if (char === closer) {
        open.pop();
        at += 1;
        continue;
      }
      if (char !== ',') return char === '"' ? fault('lacks a comma') : wrong(`comma or ${closer}`);
      const comma = at;
      at += 1;
      take(WHITE_SPACE);
      if (text[at] === '}' || text[at] === ']') return fault('has a comma after the last item', comma);
      state = closer === '}' ? 'name' : 'value';
    } else if (state === 'name' || state === 'first name') {
      if (char === '}' && state === 'first name') {
        open.pop();
        at += 1;
        state = 'next';
        continue;
      }
      if (char !== '"') return wrong('name in double quotes');
      const inName = stringFault();
      if (inName) return inName;
      take(WHITE_SPACE);
      if (text[at] !== ':') return wrong('colon');
      at += 1;
      state = 'value';
    } else if (char === ']' && state === 'first value') {
      open.pop();
      at += 1;
      state = 'next';
    } else if (char === '{' || char === '[') {
      open.push(char);
      at += 1;
      state = char === '{' ? 'first name' : 'first value';
    } else {
      const inString = char === '"' ? stringFault() : undefined;
      if (inString) return inString;
      if (char !== '"' && !take(NUMBER) && !take(LITERAL)) return wrong('value');
      state = 'next';
    }
  }
}

function closerOf(opener: string | undefined): string {
  return opener === '{' ? '}' : ']';
}
