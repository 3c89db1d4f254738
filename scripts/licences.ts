import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RolldownOutput } from 'rolldown';

/** The licences of the packages that bundles contain: bundlers leave them out with the comments. */

/** The file with them, in each folder of bundles. */
export const LICENCES_FILE = 'THIRD-PARTY-LICENSES';
const HEAD = 'The programs here contain these packages. Each is followed by its licence.\n';
const LINE = `\n${'='.repeat(79)}\n`;
const LICENCE_NAME = /^(licen[cs]e|notice|copying)|bundle\.js\.LICENSE\.txt$/i;
/** Where a package that is a bundle itself lists what it contains. */
const CONTENTS_FILE = 'log.bundle-sizes.swagger-ui.txt';

/** Writes the licences of all packages with a module in `outputs`, and of those in `folders`. Throws if one is unknown. */
export function writeLicences(dir: string, outputs: readonly RolldownOutput[], folders: readonly string[] = []): void {
  const chunks = outputs.flatMap(({ output }) => output.filter((part) => part.type === 'chunk'));
  const modules = chunks.flatMap(({ moduleIds }) => moduleIds);
  const found = modules.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []);
  const sections = [...new Set([...found, ...folders])].map((folder) => sectionOf(folder, modules));
  write(dir, sections);
}

/** Writes one file for a folder, from those of the folders whose bundles it contains. */
export function mergeLicences(dir: string, sources: readonly string[]): void {
  const texts = sources.map((source) => readFileSync(join(source, LICENCES_FILE), 'utf8'));
  write(
    dir,
    texts.flatMap((text) => text.split(LINE).slice(1)),
  );
}

function write(dir: string, sections: readonly string[]): void {
  writeFileSync(join(dir, LICENCES_FILE), [HEAD, ...[...new Set(sections)].sort()].join(LINE));
}

function sectionOf(folder: string, modules: readonly string[]): string {
  const read = (file: string) => readFileSync(join(folder, file), 'utf8').replaceAll('\r\n', '\n').trim();
  const { name, version, license } = JSON.parse(read('package.json'));
  const texts = readdirSync(folder)
    .filter((file) => LICENCE_NAME.test(file))
    .map(read);
  const readme = readdirSync(folder).find((file) => /^readme/i.test(file));
  // Some have it only as the last section of their README.
  if (texts.length === 0 && readme)
    texts.push(...(/^#+ licen[cs]e\s*$(.*Copyright.*)/ims.exec(read(readme))?.slice(1) ?? []));
  if (texts.length === 0 && license === 'Apache-2.0') texts.push('The text of this licence is also that of LICENSE.');
  if (typeof license !== 'string' || texts.length === 0) throw new Error(`the licence of ${folder} is unknown`);
  if (existsSync(join(folder, CONTENTS_FILE)))
    texts.push(
      `It contains ${read(CONTENTS_FILE)
        .match(/^[^:\n]+(?=:)/gm)
        ?.join(', ')}.`,
    );
  // Of others' files in a package, the licence is a comment at the top.
  for (const file of modules.filter((id) => id.startsWith(`${folder}/lib/`) && id.includes('/third_party/')))
    texts.push(`Of ${file.slice(folder.length + 1)}:\n\n${/^\/\*\*(.*?)\*\//s.exec(readFileSync(file, 'utf8'))?.[1]}`);
  return `${[`${name} ${version}\nLicence: ${license}`, ...texts].join('\n\n')}\n`;
}
