import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** What each bundle contains, by its folder, and the packages from whose sources it is made. */
const BUNDLES = {
  'packages/gateway/dist/bundle': ['gateway', 'protocol'],
  'packages/worker/dist/bundle': ['worker', 'outbound', 'protocol'],
  'packages/console/dist/static/console': ['console', 'protocol'],
  'packages/console/dist/static/reference': [],
  'packages/simulator/dist': [],
};

/** Licences that may be combined with Apache-2.0 in one program, and that ask for no more than to be named. */
const PERMITTED = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'BlueOak-1.0.0', 'ISC', 'MIT'];

interface Section {
  readonly name: string;
  readonly licence: string;
  readonly text: string;
}

function sectionsOf(folder: string): Section[] {
  const sections = read(`${folder}/THIRD-PARTY-LICENSES`)
    .split(/^={79}\n/m)
    .slice(1);
  return sections.map((section) => {
    const [, name = '', licence = '', text = ''] = /^(\S+) \S+\nLicence: ([^\n]+)\n\n(.*)$/s.exec(section) ?? [];
    return { name, licence, text };
  });
}

describe.each(Object.entries(BUNDLES))('the licences in %s', (folder, sources) => {
  const sections = sectionsOf(folder);
  const names = sections.map(({ name }) => name);

  it('are those of each package that its sources depend on', () => {
    const dependencies = sources.flatMap((name) => {
      const manifest = JSON.parse(read(`packages/${name}/package.json`)) as Record<string, Record<string, string>>;
      return Object.entries(manifest[name === 'console' ? 'devDependencies' : 'dependencies'] ?? {});
    });
    const others = dependencies.filter(([name]) => !name.startsWith('@chat-web/'));
    const real = others.map(([name, range]) => /^npm:(.+)@/.exec(range)?.[1] ?? name);
    expect(names).toEqual(expect.arrayContaining(real));
    expect(names.length).toBeGreaterThan(0);
  });

  it('are permitted, and have their texts', () => {
    for (const { name, licence, text } of sections) {
      const choices = licence.replace(/^\((.*)\)$/, '$1').split(' OR ');
      expect([name, choices.some((choice) => PERMITTED.includes(choice))]).toEqual([name, true]);
      expect(text, name).toMatch(/copyright|LICENSE/i);
      expect(text, name).not.toMatch(/\bL?GPL\b|GNU (Lesser )?General Public/i);
    }
  });
});

describe('packages that are bundles themselves', () => {
  it.each([
    ['packages/worker/dist/bundle', 'puppeteer-core', ['Jason Miller', 'Lea Verou', 'Google, Inc., Netflix']],
    [
      'packages/console/dist/static/reference',
      'swagger-ui-dist',
      ['SmartBear', 'DOMPurify', 'It contains ', 'react-dom'],
    ],
  ])('in %s: %s names what it contains', (folder, name, parts) => {
    const section = sectionsOf(folder).find((one) => one.name === name);
    for (const part of parts) expect(section?.text).toContain(part);
  });
});

it('node-webpmux, which is LGPL, is in no bundle', () => {
  expect(read('node_modules/node-webpmux/webp.js')).toContain('_convertToExtended');
  const bundles = ['gateway/dist/bundle/main.js', 'worker/dist/bundle/worker.cjs', 'worker/dist/bundle/page.js'];
  for (const bundle of bundles)
    expect([bundle, read(`packages/${bundle}`).includes('_convertToExtended')]).toEqual([bundle, false]);
});

it('each package has the licence of the project, but the nodes for n8n, which asks for MIT', () => {
  expect(read('LICENSE')).toContain('Apache License\n                           Version 2.0');
  const manifests = readdirSync(join(ROOT, 'packages')).map((name) => `packages/${name}/package.json`);
  expect(manifests).toHaveLength(10);
  for (const path of ['package.json'].concat(manifests)) {
    const license = path.includes('n8n') ? 'MIT' : 'Apache-2.0';
    expect(JSON.parse(read(path)), path).toMatchObject({ license });
  }
  expect(read('packages/n8n-nodes-chat-web/LICENSE')).toContain('MIT License');
});
