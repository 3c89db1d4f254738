import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const ROOT = new URL('../', import.meta.url);
/** Those of users, and the one whose version a gateway reports. */
const PACKAGES = ['gateway', 'host', 'protocol', 'simulator'];

const read = (path: string) => JSON.parse(readFileSync(new URL(path, ROOT), 'utf8'));
const { version } = read('package.json');

it('all packages have one version', () => {
  for (const name of PACKAGES) expect([name, read(`packages/${name}/package.json`).version]).toEqual([name, version]);
  expect(read('packages/host/package.json').dependencies['@chat-web/protocol']).toBe(version);
  // Absent before the first release.
  expect(read('.release-please-manifest.json')['.'] ?? version).toBe(version);
});

it('the workflows use only actions that are pinned by their hash', () => {
  const folder = new URL('.github/workflows/', ROOT);
  const used = readdirSync(folder).flatMap((name) => [
    ...readFileSync(new URL(name, folder), 'utf8').matchAll(/uses: *(\S+)/g),
  ]);
  expect(used.length).toBeGreaterThan(0);
  for (const [, action] of used) expect(action).toMatch(/^(\.\/|[\w./-]+@[0-9a-f]{40}$)/);
});

it('a release changes it wherever it is written', () => {
  const files: { path: string; jsonpath?: string }[] = read('release-please-config.json').packages['.']['extra-files'];
  const changed = files.map(({ path, jsonpath = '' }) => `${path} ${jsonpath}`.trim());
  for (const name of PACKAGES) {
    expect(changed).toContain(`packages/${name}/package.json $.version`);
    expect(changed).toContain(`package-lock.json $.packages['packages/${name}'].version`);
  }
  expect(changed).toContain("packages/host/package.json $.dependencies['@chat-web/protocol']");
  for (const path of ['deploy/oci/compose.yaml', 'deploy/kubernetes/chat-web.yaml']) {
    expect(changed).toContain(path);
    expect(readFileSync(new URL(path, ROOT), 'utf8')).toMatch(/chat-web:[\d.]+}? # x-release-please-version/);
  }
});
