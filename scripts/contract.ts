import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { errorText } from '@chat-web/protocol';
import { components, contract, type Part } from '@chat-web/worker/contract';
import { parseAst } from 'rolldown/parseAst';
import { oneLine, printLine } from './command-line.ts';

/** `npm run contract`: compares the contract with the published source of a build of the page. It only reads. */

const USAGE = `npm run contract -- <folder> [--all]            the modules of a build, as .js files
npm run contract -- <git folder> [commit] [--all]   the same in a commit of a git repository; default: HEAD

Lists the parts of the contract that the build lacks, and exits with 1 if it lacks one that an operation needs. --all
also lists each function with the number of its parameters, to be compared between builds, and what the source does
not show.
`;
const EX_USAGE = 64;
const MAX_BYTES = 2 ** 31;
/** Each operation works without it. */
const OPTIONAL = ' (optional)';

interface Node {
  readonly type: string;
  readonly [key: string]: unknown;
}

interface Module {
  /** Names of the modules that it requires. */
  readonly imports: readonly string[];
  readonly source: string;
}

/** The models of the page's collections, by the paths of the contract. */
const MODELS: Readonly<Record<string, readonly string[]>> = {
  Msg: ['WAWebMsgModel'],
  Chat: ['WAWebChatModel'],
  Contact: ['WAWebContactModel'],
  groupMetadata: ['WAWebGroupMetadataModel', 'WAWebGroupMetadata', 'WAWebBaseGroupMetadata'],
  participants: ['WAWebGroupParticipantModel', 'WAWebParticipantModel'],
};

/** What all collections and models inherit. */
const BASES = ['WAWebCollection', 'WAWebBaseCollection', 'WAWebBaseModel', 'WAWebEventEmitter', 'EventEmitter'];

const { modules, all } = readBuild();
const loaded = new Set([...modules.values()].flatMap(({ source }) => loadedNames(source)));
const missing: string[] = [];
const unseen: string[] = [];
for (const [name, parts] of Object.entries(contract)) checkModule(name, parts as Readonly<Record<string, Part>>);
for (const [name, candidates] of Object.entries(components)) checkComponents(name, candidates);

const known = Object.keys(contract).length;
printLine(`${modules.size} modules in this build; the contract has ${known}`);
for (const line of missing) printLine(`missing  ${line}`);
if (all) for (const line of unseen) printLine(`unseen   ${line}`);
process.exitCode = missing.some((line) => !line.endsWith(OPTIONAL)) ? 1 : 0;

function checkModule(name: string, parts: Readonly<Record<string, Part>>): void {
  const module = modules.get(name);
  if (!module) {
    missing.push(`${name}${hintOf(Object.values(parts))}`);
    return;
  }
  const exported = exportsOf(module.source);
  for (const [path, part] of Object.entries(parts)) {
    const [first = '', ...rest] = path.split('.');
    const value = exported.get(first.replace('[]', ''));
    const line = `${name}.${path}`;
    if (rest.length > 0) {
      if (!hasWord(name, path)) missing.push(`${line}${hintOf([part])}`);
    } else if (value === undefined && !hasWord(name, first)) missing.push(`${line}${hintOf([part])}`);
    else if (part.is === 'function' && value !== undefined && value !== 'unseen' && typeof value !== 'number')
      missing.push(`${line}: ${value} instead of a function`);
    else if (value === undefined || value === 'unseen') unseen.push(line);
    else if (all && typeof value === 'number') printLine(`function ${line}(${value})`);
  }
}

/** Whether the last name of a path occurs in its module, or in the model that has the field. */
function hasWord(name: string, path: string): boolean {
  const names = path.split(/\.|\[\]/).filter(Boolean);
  const word = names.at(-1) ?? '';
  const ofPath = names.slice(0, -1).flatMap((one) => [`WAWeb${one}Collection`, `WAWeb${one}`, ...(MODELS[one] ?? [])]);
  const sources = [name, ...ofPath, ...BASES];
  return sources.some((one) => new RegExp(`\\b${word}\\b`).test(modules.get(one)?.source ?? ''));
}

function hintOf(parts: readonly Part[]): string {
  const lost = [...new Set(parts.filter(({ or }) => !or).flatMap(({ without }) => without))];
  return lost.length > 0 ? `: no ${lost.join(', ')}` : OPTIONAL;
}

/** A component must be one that the page itself loads, and lead to the module. */
function checkComponents(name: string, candidates: readonly string[]): void {
  const leading = candidates.filter((one) => loaded.has(one) && leadsTo(one, name));
  for (const one of candidates)
    if (!leading.includes(one))
      unseen.push(`${name} by ${one}${loaded.has(one) ? '' : ', which this build does not load'}`);
  if (leading.length === 0 && modules.has(name)) missing.push(`${name}: no component leads to it`);
}

function leadsTo(component: string, name: string): boolean {
  const reached = new Set([component]);
  for (const one of reached) for (const next of modules.get(one)?.imports ?? []) reached.add(next);
  return reached.has(name);
}

/** The names that a source loads later. */
function loadedNames(source: string): string[] {
  const calls = /"(?:JSResource|JSResourceForInteraction|requireDeferred|requireDeferredForDisplay)"\)\(\s*"([^"]+)"/g;
  return [...source.matchAll(calls)].map(([, name]) => name ?? '');
}

/** The exports of a module: functions by the number of their parameters, others by their kind. */
function exportsOf(source: string): Map<string, number | string> {
  const found = new Map<string, number | string>();
  const program = parseAst(source) as unknown as Node;
  const [factory] = nodes(
    program,
    ({ type, params }) => type === 'FunctionExpression' && (params as Node[]).length >= 6,
  );
  if (!factory) return found;
  const scope = new Map<string, Node>();
  // Only what the module itself declares: names within its functions are others.
  for (const statement of (factory.body as { body: Node[] } & Node).body) {
    const { type, id, declarations, expression } = statement as Node & Record<string, Node & Node[]>;
    if (type === 'FunctionDeclaration') scope.set((id as Node).name as string, statement);
    if (type === 'VariableDeclaration')
      for (const { id, init } of declarations as Node[]) if (init) scope.set((id as Node).name as string, init as Node);
    if (type === 'ExpressionStatement')
      for (const { left, right } of [expression, (expression as Node).expressions ?? []].flat() as Node[])
        if ((left as Node | undefined)?.type === 'Identifier') scope.set((left as Node).name as string, right as Node);
  }
  const names = new Set((factory.params as Node[]).slice(5).map(({ name }) => name));
  for (const { left, right } of nodes(factory.body as Node, ({ type }) => type === 'AssignmentExpression')) {
    const { type, object, property } = left as Node & Record<string, Node>;
    if (type !== 'MemberExpression' || !names.has(object?.name)) continue;
    const name = property?.name as string;
    found.set(name, kindOf(right as Node, scope));
    const value = resolved(right as Node, scope);
    if (name === 'default' && value.type === 'ObjectExpression')
      for (const { key, value: one } of value.properties as { key: Node; value: Node }[])
        if (key) found.set(String(key.name ?? key.value), kindOf(one, scope));
  }
  return found;
}

function resolved(node: Node, scope: ReadonlyMap<string, Node>, depth = 0): Node {
  const next = node.type === 'Identifier' ? scope.get(node.name as string) : undefined;
  return next && depth < 5 ? resolved(next, scope, depth + 1) : node;
}

function kindOf(node: Node, scope: ReadonlyMap<string, Node>): number | string {
  const value = resolved(node, scope);
  if (/Function/.test(value.type)) return (value.params as Node[]).length;
  if (/^Class/.test(value.type)) return 'class';
  if (value.type === 'ObjectExpression') return 'an object';
  return value.type === 'Literal' ? `a ${typeof value.value}` : 'unseen';
}

function* nodes(root: Node, where: (node: Node) => boolean = () => true): Generator<Node> {
  const isNode = (value: unknown): value is Node => typeof (value as Partial<Node> | null)?.type === 'string';
  if (where(root)) yield root;
  for (const part of Object.values(root).flat()) if (isNode(part)) yield* nodes(part, where);
}

function readBuild() {
  try {
    const options = { all: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } as const;
    const { positionals, values } = parseArgs({ options, allowPositionals: true });
    if (values.help) {
      process.stdout.write(USAGE);
      process.exit(0);
    }
    const [folder, commit, ...others] = positionals;
    if (folder === undefined || others.length > 0) throw new TypeError('name one folder, and at most one commit');
    return { modules: modulesIn(sourcesOf(folder, commit)), all: values.all === true };
  } catch (error) {
    process.stderr.write(`${oneLine(errorText(error))}\n\n${USAGE}`);
    process.exit(EX_USAGE);
  }
}

/** The text of all scripts, one after the other. */
function sourcesOf(folder: string, commit: string | undefined): string {
  const git = (args: readonly string[], input?: string) => {
    const { status, stdout, stderr } = spawnSync('git', ['-C', folder, ...args], {
      input,
      maxBuffer: MAX_BYTES,
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`git: ${stderr.trim()}`);
    return stdout;
  };
  const isGit =
    commit !== undefined ||
    spawnSync('git', ['-C', folder, 'rev-parse', '--git-dir']).stdout?.toString().trim() === '.';
  if (!isGit) {
    if (!statSync(folder).isDirectory()) throw new Error(`${folder} is no folder`);
    const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.js'));
    return paths.map((path) => readFileSync(join(folder, path), 'utf8')).join('\n');
  }
  const tree = commit ?? 'HEAD';
  const paths = git(['ls-tree', '-r', '--name-only', tree])
    .split('\n')
    .filter((path) => path.endsWith('.js'));
  return git(['cat-file', '--batch=', '--buffer'], paths.map((path) => `${tree}:${path}`).join('\n'));
}

function modulesIn(text: string): Map<string, Module> {
  const found = new Map<string, Module>();
  const heads = [...text.matchAll(/^\s*__d\(\s*"([^"]+)",\s*\[([^\]]*)\]/gm)];
  for (const [n, { index, 1: name = '', 2: imports = '' }] of heads.entries()) {
    const source = text.slice(index, heads[n + 1]?.index);
    found.set(name, { imports: [...imports.matchAll(/"([^"]+)"/g)].map(([, one]) => one ?? ''), source });
  }
  if (found.size === 0) throw new Error('no modules found: expected .js files with __d("Name", […], …)');
  return found;
}
