import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules, createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAst } from 'rolldown/parseAst';
import { describe, expect, it } from 'vitest';

/**
 * The library's scripts are sent to the page as text, from the bundle: a name that the bundler changes, or a helper that
 * it adds outside of them, does not exist in the page. Each script may use only the outside names that its source uses.
 */

interface Node {
  readonly type: string;
  readonly [key: string]: unknown;
}

const require = createRequire(import.meta.url);
const BUNDLE = dirname(fileURLToPath(import.meta.resolve('@chat-web/worker/main')));
const LIBRARY = dirname(require.resolve('whatsapp-web.js/src/Client.js'));

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Partial<Node>).type === 'string';

const partsOf = (node: Node): Node[] => Object.values(node).flat().filter(isNode);

function all(node: Node, where: (node: Node) => boolean): Node[] {
  return [...(where(node) ? [node] : []), ...partsOf(node).flatMap((part) => all(part, where))];
}

function parsed(path: string): Node {
  return parseAst(readFileSync(path, 'utf8')) as unknown as Node;
}

function outsideNames(script: Node): string[] {
  const used = new Set<string>();
  const declared = new Set<string>();
  const declare = (pattern: Node) => {
    for (const { name } of all(pattern, ({ type }) => type === 'Identifier')) declared.add(name as string);
  };
  const visit = (node: Node) => {
    const { type, key, property, computed, value, id, params, param } = node;
    if (type === 'Identifier') used.add(node.name as string);
    if (isNode(id)) declare(id);
    for (const pattern of [params, param].flat()) if (isNode(pattern)) declare(pattern);
    for (const part of partsOf(node)) {
      const isLabel = !computed && (part === property || (part === key && part !== value));
      if (!isLabel) visit(part);
    }
  };
  visit(script);
  const meansNothing = new Set(['undefined']); // The bundler writes `void 0`.
  return [...used].filter((name) => !declared.has(name) && !meansNothing.has(name)).sort();
}

const program = parsed(join(BUNDLE, 'worker.cjs'));
const isFunction = ({ type }: Node) => type === 'ArrowFunctionExpression' || type === 'FunctionExpression';

describe('in the bundle', () => {
  it.each([
    ['LoadUtils', 'util/Injected/Utils.js'],
    ['ExposeAuthStore', 'util/Injected/AuthStore/AuthStore.js'],
  ])("the library's %s uses the same names of the page", (name, file) => {
    const scriptsIn = (program: Node) =>
      all(program, ({ type, left }) => type === 'AssignmentExpression' && (left as Node).property !== undefined)
        .filter(({ left, right }) => nameIn(left) === name && isFunction(right as Node))
        .map(({ right }) => outsideNames(right as Node));
    const nameIn = (left: unknown) => ((left as Node).property as Node).name;
    expect(scriptsIn(program)).toHaveLength(1);
    expect(scriptsIn(program)).toEqual(scriptsIn(parsed(join(LIBRARY, file))));
  });

  it("the library's client use the same names of the page", () => {
    const scriptsIn = (program: Node) => {
      const [inject] = all(program, ({ type, key }) => type === 'MethodDefinition' && (key as Node).name === 'inject');
      const calls = all(inject as Node, ({ callee }) => ((callee as Node)?.property as Node)?.name === 'evaluate');
      return calls.flatMap((call) => (call.arguments as Node[]).filter(isFunction).map(outsideNames));
    };
    const written = scriptsIn(parsed(join(LIBRARY, 'Client.js')));
    expect(written.length).toBeGreaterThan(3);
    expect(written.flat()).toContain('window');
    const client = all(program, ({ type }) => type === 'ClassDeclaration' || type === 'ClassExpression').find(
      (one) => all(one, ({ key }) => (key as Node)?.name === 'requestPairingCode').length > 0,
    );
    expect(scriptsIn(client as Node)).toEqual(written);
  });
});

it('the bundle has no code for features that no worker uses', () => {
  const unused = /^\/\/ node_modules\/(fluent-ffmpeg|node-fetch|unzipper|archiver|extract-zip|yauzl)\//m;
  const texts = readdirSync(BUNDLE).map((name) => readFileSync(join(BUNDLE, name), 'utf8'));
  expect(texts.filter((text) => unused.test(text))).toEqual([]);
  expect(texts.filter((text) => /^\/\/ node_modules\/whatsapp-web\.js\//m.test(text))).not.toEqual([]);
});

it('the bundle loads only built-in modules and its own parts', () => {
  const names = readdirSync(BUNDLE).filter((name) => name.endsWith('.cjs'));
  const known = new Set([...builtinModules, ...builtinModules.map((name) => `node:${name}`), 'supports-color']);
  for (const name of names) {
    const part = parsed(join(BUNDLE, name));
    const calls = all(part, ({ type, callee }) => type === 'CallExpression' && (callee as Node).name === 'require');
    const asked = calls.map((call) => (call.arguments as Node[])[0]?.value as string);
    expect(
      asked.filter((id) => !known.has(id) && !names.includes(id.replace('./', ''))),
      name,
    ).toEqual([]);
    expect(
      all(part, ({ type }) => type === 'ImportExpression'),
      name,
    ).toEqual([]);
  }
});
