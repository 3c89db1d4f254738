import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sharedFolder } from '@chat-web/testing/hooks';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { PageHistory } from './page-history.ts';

const log = pino({ enabled: false });
const media = { capability: 'sendMessage.media', reason: 'the page lacks Media' };
const note = (history: PageHistory, version: string, lacking: (typeof media)[]) =>
  history.note({ testIds: true, version, lacking, findings: [] });
const reasonsOf = (history: PageHistory, version: string, lacking: (typeof media)[]) =>
  note(history, version, lacking).degraded.map(({ reason }) => reason);

const folder = sharedFolder();
// A history may still be writing the notes of the last test.
const open = async (name: string) => {
  const history = new PageHistory(join(folder, 'pages', name), log);
  await history.load();
  return history;
};

describe('a missing part of a page build', () => {
  it('is reported with the first version that lacked it after the last one that had it', async () => {
    const history = await open('one.json');
    expect(reasonsOf(history, '2.9', [media])).toEqual(['the page lacks Media (since 2.9)']);
    note(history, '2.10', []);
    note(history, '2.11', [media]);
    expect(reasonsOf(history, '2.12', [media])).toEqual(['the page lacks Media (since 2.11, worked on 2.10)']);
  });

  it('is remembered after a restart of the gateway', async () => {
    const history = await open('two.json');
    note(history, '2.1', []);
    note(history, '2.2', [media]);
    await history.flush();
    expect(reasonsOf(await open('two.json'), '2.3', [media])).toEqual([
      'the page lacks Media (since 2.2, worked on 2.1)',
    ]);
  });

  it('is not forgotten if a session on another build has it', async () => {
    const history = await open('three.json');
    note(history, '2.1', []);
    note(history, '2.2', [media]);
    note(history, '2.1', []);
    expect(reasonsOf(history, '2.3', [media])).toEqual(['the page lacks Media (since 2.2, worked on 2.1)']);
    note(history, '2.4', []);
    expect(reasonsOf(history, '2.2', [media])).toEqual(['the page lacks Media (since 2.2, worked on 2.1)']);
  });

  it('is no longer missing from a version once a module that loads late has arrived', async () => {
    const history = await open('four.json');
    note(history, '2.2', [media]);
    note(history, '2.2', []);
    expect(reasonsOf(history, '2.3', [media])).toEqual(['the page lacks Media (since 2.3, worked on 2.2)']);
    expect(reasonsOf(history, '2.2', [media])).toEqual(['the page lacks Media (since 2.2)']);
  });

  it('is distinguished from problems that are unrelated to the build', async () => {
    const history = await open('five.json');
    const dialog = { capability: 'page', reason: 'a dialog stays open: Update' };
    const mute = { capability: 'sendMessage', reason: 'the network has confirmed none of the last 5 sends' };
    const findings = [dialog, mute];
    expect(history.note({ testIds: true, version: '2.1', lacking: [], findings })).toEqual({
      testIds: true,
      version: '2.1',
      degraded: findings,
    });
    expect(reasonsOf(history, '2.2', [{ ...mute, reason: 'the page lacks Send' }])).toEqual([
      'the page lacks Send (since 2.2, worked on 2.1)',
    ]);
  });

  it('is kept for the last 20 versions', async () => {
    const history = await open('many.json');
    for (let n = 1; n <= 30; n += 1) note(history, `2.${n}`, []);
    await history.flush();
    const { versions } = JSON.parse(await readFile(join(folder, 'pages', 'many.json'), 'utf8'));
    expect(versions).toHaveLength(20);
    expect(versions[0]).toEqual({ version: '2.11', missing: [] });
  });

  it('starts empty if the file is unreadable', async () => {
    await writeFile(join(folder, 'pages', 'broken.json'), '{"versions": [{');
    expect(reasonsOf(await open('broken.json'), '2.1', [media])).toEqual(['the page lacks Media (since 2.1)']);
  });
});
