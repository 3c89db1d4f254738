import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { canBeOthers, eventually, fakeBrowser, OTHER_USER, THIRD_USER } from '@chat-web/testing';
import { expect, it, vi } from 'vitest';
import { ForeignProcessWatch } from './foreign-process-watch.ts';

it.runIf(canBeOthers())(
  'reports processes of other users that name a profile: one line, however often it scans',
  async () => {
    const sessionsDir = await mkdtemp(join(tmpdir(), 'chat-web-foreign-'));
    await using own = await fakeBrowser(join(sessionsDir, 'own', 'session'));
    await using forged = await fakeBrowser(join(sessionsDir, 'main', 'session'), { user: OTHER_USER });
    await using _another = await fakeBrowser(join(sessionsDir, 'main', 'session'), { user: THIRD_USER });
    await using _nonsense = await fakeBrowser(join(sessionsDir, 'no.id', 'session'), { user: OTHER_USER });
    const warn = vi.fn();
    const watch = new ForeignProcessWatch(sessionsDir, { warn });
    for (let start = 0; start < 100; start += 1) watch.scanSoon();
    await eventually(() => expect(warn).toHaveBeenCalled());
    for (let start = 0; start < 100; start += 1) watch.scanSoon();
    expect(warn).toHaveBeenCalledOnce();
    const [entry, line] = warn.mock.calls[0] ?? [];
    expect(entry).toMatchObject({ session: 'main', others: 3, hint: 'it is left alone' });
    expect([OTHER_USER, THIRD_USER]).toContain(entry.user);
    expect(entry.pid).not.toBe(own.main.pid);
    expect(line).toBe('process of another user names the profile');
    expect(forged.main.pid).toBeGreaterThan(0);
    await rm(sessionsDir, { recursive: true });
  },
);
