import { GatewayError, type OperationMethods } from '@chat-web/protocol';
import { describe, expect, it } from 'vitest';
import { UsageError } from '../scripts/command-line.ts';
import { readArguments } from '../scripts/doctor/arguments.ts';
import { reportContract } from '../scripts/doctor/contract.ts';
import { type Finding, Report, shortenNumbers, textPrinter } from '../scripts/doctor/report.ts';
import { MemoryWatch } from '../scripts/doctor/vitals.ts';
import { Interrupted } from '../scripts/doctor/wait.ts';

function newReport(signal = new AbortController().signal) {
  const findings: Finding[] = [];
  return { report: new Report((finding) => findings.push(finding), signal), findings };
}

describe('the report of doctor', () => {
  it('times a check, and reports what it returns as ok', async () => {
    const { report, findings } = newReport();
    await report.check('qr shown', () => new Promise((resolve) => setTimeout(resolve, 30, 'here')));
    expect(findings).toEqual([{ check: 'qr shown', result: 'ok', detail: 'here', ms: expect.any(Number) }]);
  });

  it('reports an error of a check as a failure, with its code and what to do', async () => {
    const { report, findings } = newReport();
    const isFine = await report.check('send image', () => {
      throw new GatewayError('page_unsupported', 'page 2.3000.1 lacks WAWebX');
    });
    expect(isFine).toBe(false);
    expect(findings).toMatchObject([{ result: 'fail', detail: 'page_unsupported: "page 2.3000.1 lacks WAWebX"' }]);
    expect(findings[0]?.todo).toContain('CHAT_WEB_PAGE_VERSION');
  });

  it('reports nothing of a check that fails because the run was interrupted', async () => {
    const interrupted = new AbortController();
    const { report, findings } = newReport(interrupted.signal);
    interrupted.abort();
    const checking = report.check('qr shown', () => Promise.reject(new Error('no longer wanted')));
    await expect(checking).rejects.toBeInstanceOf(Interrupted);
    expect(findings).toEqual([]);
    expect(report.exitCode(true)).toBe(130);
  });

  it('exits with 1 only if something failed', () => {
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

  it('is a line for each finding, and gives the same advice in full once', () => {
    const lines: string[] = [];
    const print = textPrinter((line) => lines.push(line));
    print({ check: 'qr shown', result: 'ok', detail: '', ms: 1_234 });
    print({ check: 'clock', result: 'ok', detail: 'synchronized', ms: 30 });
    print({ check: 'disk', result: 'fail', detail: 'full', todo: 'free some' });
    print({ check: 'data', result: 'fail', detail: 'full', todo: 'free some' });
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
    expect(shortenNumbers(text)).toBe(shown);
  });
});

describe('a capability that the page lacks', () => {
  const lacking = (...capabilities: string[]) => ({
    id: 'main',
    status: 'ready' as const,
    since: '2026-11-22T00:00:00Z',
    restarts: 0,
    pageVersion: '2.3000.1',
    degraded: capabilities.map((capability) => ({ capability, reason: 'the page lacks WAWebX' })),
  });
  const found = (isLinked: boolean, ...capabilities: string[]) => {
    const { report, findings } = newReport();
    reportContract(report, lacking(...capabilities), { pinned: undefined, isLinked });
    return findings.map(({ check, result }) => `${result} ${check}`);
  };

  it('may still load where no account is linked, unless a QR needs it', () => {
    expect(found(false)).toEqual(['ok page', 'ok contract']);
    expect(found(false, 'getMedia', 'listGroups')).toEqual(['ok page', 'warn contract']);
    expect(found(false, 'link', 'getMedia')).toEqual(['ok page', 'fail page: link', 'warn contract']);
  });

  it('is named in one line where no account is linked', () => {
    const { report, findings } = newReport();
    const view = {
      ...lacking(),
      degraded: [{ capability: 'getMedia', reason: 'the page lacks WAWebX, WAWebY (since 2.3000.1)' }],
    };
    reportContract(report, view, { pinned: undefined, isLinked: false });
    expect(findings[1]?.detail).toBe('not on the login page: getMedia (WAWebX, WAWebY)');
    expect(report.summaryText({ notChecked: 'Not checked yet: much.', isInterrupted: false })).toBe(
      '\nNot checked yet: much.\n1 ok, 1 warn. It works so far, within the limits of the warnings.\n',
    );
  });

  it('is a failure for each operation of a linked session, and a warning for what few need', () => {
    expect(found(true)).toEqual(['ok page', 'ok contract']);
    expect(found(true, 'getMedia', 'sendMessage.media', 'lateDecryption', 'missedMessages')).toEqual([
      'ok page',
      'fail page: getMedia',
      'fail page: sendMessage.media',
      'warn page: lateDecryption',
      'fail page: missedMessages',
    ]);
  });

  it('has its own advice: an open dialog, unconfirmed sends, a missing module', () => {
    const { report, findings } = newReport();
    const degraded = [
      { capability: 'page.dialog', reason: 'a dialog stays open: Terms' },
      { capability: 'sendMessage', reason: 'the network has confirmed none of the last 5 sends' },
      { capability: 'getMedia', reason: 'the page lacks WAWebX' },
    ];
    reportContract(report, { ...lacking(), degraded }, { pinned: undefined, isLinked: true });
    expect(findings.slice(1)).toMatchObject([
      { check: 'dialogs', result: 'warn', todo: expect.stringContaining('restart the session') },
      { check: 'page: sendMessage', result: 'fail', todo: expect.stringContaining('phone') },
      { check: 'page: getMedia', result: 'fail', todo: expect.stringContaining('CHAT_WEB_PAGE_VERSION') },
    ]);
  });

  it('is reported with a warning if the page is not the pinned one', () => {
    const { report, findings } = newReport();
    reportContract(report, lacking(), { pinned: '2.3000.9', isLinked: true });
    expect(findings[0]).toMatchObject({ check: 'page', result: 'warn' });
  });
});

describe('the memory of a session', () => {
  const MB = 1_048_576;
  it('is measured after the restart', async () => {
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
  it('is parsed into options', () => {
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
  ])('%j is refused with the name of the flag', (args, named) => {
    expect(() => readArguments(args)).toThrow(UsageError);
    expect(() => readArguments(args)).toThrow(named);
  });
});
