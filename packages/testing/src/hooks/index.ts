import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, it } from 'vitest';
import { rounds } from '../rounds.ts';

/** A test that `npm test` and `npm run test:faults` leave out: a variant of another one, or one that takes long. */
export const itInAllRounds: ReturnType<typeof it.runIf> = it.runIf(rounds({ few: false, all: true }));

/** The path of a folder that each test finds empty. */
export function freshFolder(): string {
  const path = newPath();
  beforeEach(() => void mkdirSync(path));
  afterEach(() => remove(path));
  return path;
}

/** The path of a folder that the tests of a suite share. */
export function sharedFolder(): string {
  const path = newPath();
  beforeAll(() => void mkdirSync(path));
  afterAll(() => remove(path));
  return path;
}

function newPath(): string {
  return join(tmpdir(), `chat-web-test-${randomUUID().slice(0, 8)}`);
}

function remove(path: string): void {
  rmSync(path, { recursive: true, force: true, maxRetries: 3 });
}
