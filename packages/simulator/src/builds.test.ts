import { expect, it } from 'vitest';
import { builds, newestBuild, switchesOf } from './builds.ts';
import { firstSwitches } from './page/switches.ts';

it('the first build has none of the changes', () => {
  expect(switchesOf('2026-01')).toEqual(firstSwitches);
});

it('each build includes the changes of the earlier ones', () => {
  expect(switchesOf('2026-07')).toMatchObject({
    statusActions: 'object',
    idProperty: '$1',
    downloadResult: 'uint8array',
  });
  expect(switchesOf('2026-09')).toMatchObject({ idProperty: '$1', downloadResult: 'uint8array', mediaOwnId: true });
  expect(switchesOf('2026-10')).toMatchObject({ downloadResult: 'blob', mediaOwnId: true, statusActions: 'object' });
});

it.each(builds)('in %s, ids of people and chats keep the name of their serialised form', (build) => {
  expect(switchesOf(build).widProperty).toBe('_serialized');
});

it('versions increase, and the last build is the default', () => {
  const versions = builds.map((build) => switchesOf(build).pageVersion);
  expect(versions).toEqual([...new Set(versions)].toSorted());
  expect(builds.at(-1)).toBe(newestBuild);
});
