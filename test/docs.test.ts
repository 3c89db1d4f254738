import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MESSAGE_TYPES } from '@chat-web/protocol';
import { expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const FOLDERS = [
  '.',
  'deploy/npm',
  'docs',
  'docs/decisions',
  'examples',
  'examples/chatwoot',
  'packages/host',
  'packages/n8n-nodes-chat-web',
  'packages/protocol',
  'packages/simulator',
];
const pages = FOLDERS.flatMap((folder) =>
  readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name)),
);

function anchorsOf(page: string): string[] {
  const headings = readFileSync(join(ROOT, page), 'utf8').matchAll(/^#+ (.*)$/gm);
  return [...headings].map(([, text = '']) =>
    text
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );
}

function linksOf(page: string): string[] {
  const text = readFileSync(join(ROOT, page), 'utf8').replace(/^```.*?^```/gms, '');
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target).filter((to) => !/^https?:/.test(to));
}

it.each(pages)('links of %s point to pages, files and headings that exist', (page) => {
  for (const link of linksOf(page)) {
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? page : join(dirname(page), path);
    expect(existsSync(join(ROOT, target)), link).toBe(true);
    if (anchor !== undefined) expect(anchorsOf(target), link).toContain(anchor);
  }
});

it('each decision has a number of its own', () => {
  const numbers = readdirSync(join(ROOT, 'docs/decisions')).map((name) => name.slice(0, 4));
  expect([...new Set(numbers)]).toEqual(numbers);
});

it('every page of docs/ is linked from its README', () => {
  const linked = linksOf('docs/README.md').map((link) => join('docs', link));
  for (const page of pages.filter((one) => dirname(one) === 'docs' && one !== 'docs/README.md'))
    expect(linked).toContain(page);
  expect(linksOf('README.md')).toContain('docs/README.md');
});

it('the page on events has each type of message', () => {
  const [, table = ''] = readFileSync(join(ROOT, 'docs/events.md'), 'utf8').split(/^##+ (?:Types of m|M)essages.*$/m);
  const listed = [...table.matchAll(/^\| (.*?) \|/gm)].flatMap(([, cell = '']) => [...cell.matchAll(/`([^`]+)`/g)]);
  expect(
    listed
      .map(([, type]) => type)
      .filter((type) => type !== 'type')
      .sort(),
  ).toEqual([...MESSAGE_TYPES].sort());
});

it('the map of the architecture names files and folders that exist', () => {
  const text = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');
  const named = [...text.matchAll(/`((?:packages|protocol|gateway|worker|host)\/[\w./-]+)`/g)].map(
    ([, path = '']) => path,
  );
  expect(named.length).toBeGreaterThan(15);
  for (const path of named)
    expect(existsSync(join(ROOT, 'packages', path.replace(/^packages\//, ''))), path).toBe(true);
});

it('the example of CONTRIBUTING changes lines that exist, once', () => {
  const page = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8');
  const diffs = [...page.matchAll(/^ \/\/ (\S+)\n(.*?)(?=^```|\n \/\/ )/gms)];
  expect(diffs.length).toBeGreaterThan(5);
  for (const [, path = '', diff = ''] of diffs) {
    const before = diff.split('\n').filter((line) => /^[ -]/.test(line));
    const text = `\n${before.map((line) => line.slice(1)).join('\n')}\n`;
    expect(readFileSync(join(ROOT, path), 'utf8').split(text), path).toHaveLength(2);
  }
});
