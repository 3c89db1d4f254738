import { type ChildProcess, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { cloudDeliveries, firstLineOf, fixture, pace } from '@chat-web/testing';
import { expect, it } from 'vitest';

const { messages, text } = cloudDeliveries;

const APP = fixture('cloud-app.mjs');
const PEOPLE = 5;
const EACH = 60;
const KILLS = 4;

it('no message is lost if the application is killed and responds only after its handlers', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cloud-app-'));
  const file = join(folder, 'handled');
  let app: ChildProcess | undefined;
  let port = '0';
  const start = async () => {
    app = spawn(process.execPath, [APP, file, port], { stdio: ['ignore', 'pipe', 'inherit'] });
    port = await firstLineOf(app, app.stdout as Readable);
  };
  /** Retries until the response is 200, as the provider does. */
  const send = async (from: string, id: string) => {
    const body = JSON.stringify(messages(text(id, 'Hi', from)));
    const hex = createHmac('sha256', 'the app secret').update(body).digest('hex');
    const headers = { 'X-Hub-Signature-256': `sha256=${hex}` };
    for (;;) {
      const url = `http://127.0.0.1:${port}/webhooks/chat`;
      const answer = await fetch(url, { method: 'POST', body, headers }).catch(() => undefined);
      if (answer?.status === 200) return;
      await pace(20);
    }
  };
  const handled = () => readFileSync(file, { encoding: 'utf8', flag: 'a+' }).split('\n').filter(Boolean);
  try {
    await start();
    let isDone = false;
    const sending = Promise.all(
      Array.from({ length: PEOPLE }, async (_, person) => {
        for (let index = 0; index < EACH; index += 1) await send(`p${person}`, `${person}-${index}`);
      }),
    ).finally(() => {
      isDone = true;
    });
    for (let kill = 1; kill <= KILLS; kill += 1) {
      while (!isDone && handled().length < (PEOPLE * EACH * kill) / (KILLS + 1)) await pace(1);
      expect(isDone).toBe(false);
      app?.kill('SIGKILL');
      await once(app as ChildProcess, 'exit');
      await start();
    }
    await sending;
    const lines = handled();
    expect(new Set(lines).size).toBe(PEOPLE * EACH);
    // At most one message of each person is in progress at a kill.
    expect(lines.length - PEOPLE * EACH).toBeLessThanOrEqual(KILLS * PEOPLE);
    for (let person = 0; person < PEOPLE; person += 1) {
      const numbers = lines
        .filter((line) => line.startsWith(`p${person} `))
        .map((line) => Number(line.split('-')[1]))
        .filter((number, at, all) => number !== all[at - 1]);
      expect(numbers).toEqual(Array.from({ length: EACH }, (_, index) => index));
    }
  } finally {
    app?.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
});
