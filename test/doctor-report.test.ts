import { GatewayError, type OperationMethods } from '@chat-web/protocol';
import { describe, expect, it } from 'vitest';
import { readArguments } from '../scripts/doctor/arguments.ts';
import { reportContract } from '../scripts/doctor/contract.ts';
import { type Finding, Report, textTeller, withoutNumbers } from '../scripts/doctor/report.ts';
import { MemoryWatch } from '../scripts/doctor/vitals.ts';
import { Interrupted } from '../scripts/doctor/wait.ts';
import { UsageError } from '../scripts/usage-error.ts';

function newReport(signal = new AbortController().signal) {
  const told: Finding[] = [];
  return { report: new Report((finding) => told.push(finding), signal), told };
}

describe('the report of doctor', () => {
  it('times a check, and takes what it says for well', async () => {
    const { report, told } = newReport();
    await report.check('qr shown', () => new Promise((resolve) => setTimeout(resolve, 30, 'here')));
    expect(told).toEqual([{ check: 'qr shown', result: 'ok', detail: 'here', ms: expect.any(Number) }]);
  });

  it('makes a failure of what a check throws, with its code and what to do', async () => {
    const { report, told } = newReport();
    const isFine = await report.check('send image', () => {
      throw new GatewayError('page_unsupported', 'page 2.3000.1 lacks WAWebX');
    });
    expect(isFine).toBe(false);
    expect(told).toMatchObject([{ result: 'fail', detail: 'page_unsupported: page 2.3000.1 lacks WAWebX' }]);
    expect(told[0]?.todo).toContain('CHAT_WEB_PAGE_VERSION');
  });

  it('reports nothing of a check that fails because the run was interrupted', async () => {
    const interrupted = new AbortController();
    const { report, told } = newReport(interrupted.signal);
    interrupted.abort();
    const checking = report.check('qr shown', () => Promise.reject(new Error('not wanted any more')));
    await expect(checking).rejects.toBeInstanceOf(Interrupted);
    expect(told).toEqual([]);
    expect(report.exitCode(true)).toBe(130);
  });

  it('exits with 1 only where something failed', () => {
    const { report } = newReport();
    report.add({ check: 'a', result: 'ok', detail: '' });
    report.add({ check: 'b', result: 'warn', detail: 'root', todo: 'be somebody else' });
    report.add({ check: 'c', result: 'skip', detail: '' });
    expect(report.exitCode(false)).toBe(0);
    report.add({ check: 'd', result: 'fail', detail: 'broken', todo: 'mend it' });
    expect(report.exitCode(false)).toBe(1);
    const text = report.summaryText({ page: '2.3000.1049200000', isInterrupted: false });
    expect(text).toContain('1 ok, 1 warn, 1 fail, 1 skipped. Page 2.3000.1049200000. Next: ');
    const json = JSON.parse(report.json({ page: '2.3000.1', isInterrupted: false }));
    expect(json).toMatchObject({ ok: false, exitCode: 1, page: '2.3000.1', counts: { ok: 1, fail: 1, note: 0 } });
    expect(json.findings[3]).toEqual({ check: 'd', result: 'fail', detail: 'broken', todo: 'mend it' });
  });

  it('is a line for each finding, and says the same advice in full once', () => {
    const lines: string[] = [];
    const tell = textTeller((line) => lines.push(line));
    tell({ check: 'qr shown', result: 'ok', detail: '', ms: 1_234 });
    tell({ check: 'clock', result: 'ok', detail: 'synchronized', ms: 30 });
    tell({ check: 'disk', result: 'fail', detail: 'full', todo: 'free some' });
    tell({ check: 'data', result: 'fail', detail: 'full', todo: 'free some' });
    expect(lines).toEqual([
      'ok    qr shown                      1.2 s',
      'ok    clock                         30 ms  synchronized',
      'fail  disk                                 full',
      '      → free some',
      'fail  data                                 full',
      '      → as above',
    ]);
  });

  it.each([
    ['sent to +12025550102', 'sent to +12…02'],
    ['message true_12025550102@c.us_3EB0 is unknown', 'message true_12…02@c.us_3EB0 is unknown'],
    ['no group 120363012345678901@g.us', 'no group 12…01@g.us'],
    ['page 2.3000.1049200000 lacks WAWebX', 'page 2.3000.1049200000 lacks WAWebX'],
    ['4,194,304 open files', '4,194,304 open files'],
  ])('shortens what may be a number: %s', (text, shown) => {
    expect(withoutNumbers(text)).toBe(shown);
  });
});

describe('what the page lacks', () => {
  const lacking = (...capabilities: string[]) => ({
    ...({ id: 'main', status: 'ready', since: '2026-11-22T00:00:00Z', restarts: 0, pageVersion: '2.3000.1' } as const),
    degraded: capabilities.map((capability) => ({ capability, reason: 'the page lacks WAWebX' })),
  });
  const found = (isLinked: boolean, ...capabilities: string[]) => {
    const { report, told } = newReport();
    reportContract(report, lacking(...capabilities), { pinned: undefined, isLinked });
    return told.map(({ check, result }) => `${result} ${check}`);
  };

  it('may still come where no account is linked, but for what a QR is made of', () => {
    expect(found(false)).toEqual(['ok page', 'ok contract']);
    expect(found(false, 'getMedia', 'listGroups')).toEqual(['ok page', 'warn contract']);
    expect(found(false, 'link', 'getMedia')).toEqual(['ok page', 'fail page: link', 'warn contract']);
  });

  it('is named in one line where no account is linked', () => {
    const { report, told } = newReport();
    const view = {
      ...lacking(),
      degraded: [{ capability: 'getMedia', reason: 'the page lacks WAWebX, WAWebY (since 2.3000.1)' }],
    };
    reportContract(report, view, { pinned: undefined, isLinked: false });
    expect(told[1]?.detail).toBe('not on the login page: getMedia (WAWebX, WAWebY)');
    expect(report.summaryText({ notChecked: 'Not checked yet: much.', isInterrupted: false })).toBe(
      '\nNot checked yet: much.\n1 ok, 1 warn. It works so far, within the limits of the warnings.\n',
    );
  });

  it('is a failure for each operation of a linked session, and a warning for what is missed by few', () => {
    expect(found(true)).toEqual(['ok page', 'ok contract']);
    expect(found(true, 'getMedia', 'sendMessage.media', 'lateDecryption', 'missedMessages')).toEqual([
      ...['ok page', 'fail page: getMedia', 'fail page: sendMessage.media'],
      ...['warn page: lateDecryption', 'fail page: missedMessages'],
    ]);
  });

  it('is told with advice of its own: a dialog, sends that nobody confirms, a part that is gone', () => {
    const { report, told } = newReport();
    const degraded = [
      { capability: 'page.dialog', reason: 'a dialog stays open: Terms' },
      { capability: 'sendMessage', reason: 'the network has confirmed none of the last 5 sends' },
      { capability: 'getMedia', reason: 'the page lacks WAWebX' },
    ];
    reportContract(report, { ...lacking(), degraded }, { pinned: undefined, isLinked: true });
    expect(told.slice(1)).toMatchObject([
      { check: 'dialogs', result: 'warn', todo: expect.stringContaining('restart the session') },
      { check: 'page: sendMessage', result: 'fail', todo: expect.stringContaining('phone') },
      { check: 'page: getMedia', result: 'fail', todo: expect.stringContaining('CHAT_WEB_PAGE_VERSION') },
    ]);
  });

  it('is not the page that was pinned', () => {
    const { report, told } = newReport();
    reportContract(report, lacking(), { pinned: '2.3000.9', isLinked: true });
    expect(told[0]).toMatchObject({ check: 'page', result: 'warn' });
  });
});

describe('the memory of a session', () => {
  const MB = 1_048_576;
  it('is not what it took before it was restarted', async () => {
    const looks = [500, 500, 200, 900];
    const getSessionStatus = async () => {
      const bytes = (looks.length > 1 ? looks.shift() : looks[0]) ?? 0;
      return { memory: { workerBytes: 50 * MB, browserBytes: (bytes - 50) * MB, processes: 9 } };
    };
    const client = { getSessionStatus } as unknown as OperationMethods;
    const memory = new MemoryWatch({ client, id: 'main', signal: new AbortController().signal }, 700 * MB, true);
    expect(await memory.atReady()).toEqual({ detail: '200 MB; the soft limit is 700 MB' });
    expect(await memory.after(0)).toMatchObject({ result: 'warn', detail: expect.stringContaining('900 MB, +700 MB') });
  });
});

describe('the command line of doctor', () => {
  it('is taken as it is meant', () => {
    const options = readArguments(['--session', 'main', '--to', '+12025550102', '--watch', '0.5', '--yes']);
    expect(options).toMatchObject({ session: 'main', to: '12025550102', watchMs: 30_000, yes: true, json: false });
    expect(readArguments([])).toMatchObject({ session: undefined, watchMs: 60_000, quick: false });
  });

  it.each([
    [['--sesion', 'main'], '--sesion'],
    [['--session'], '--session'],
    [['--session', 'a/b'], '--session'],
    [['--to', '+12025550102'], '--session'],
    [['--session', 'main', '--to', 'Ben'], '--to'],
    [['--session', 'main', '--peer', 'main'], '--peer'],
    [['--session', 'main', '--group', '+12025550102'], '--group'],
    [['--session', 'main', '--watch', 'long'], '--watch'],
    [['--session', 'main', '--gateway', 'localhost:3000'], '--gateway'],
    [['main'], 'main'],
  ])('%j is refused by the name of the flag', (args, named) => {
    expect(() => readArguments(args)).toThrow(UsageError);
    expect(() => readArguments(args)).toThrow(named);
  });
});
