import { GatewayError } from '@chat-web/protocol';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { isAfterChange } from '../after-change.ts';
import { Session } from './session.ts';
import type { OtherSessions, SessionDependencies } from './session-dependencies.ts';

it('a failed export of a session that was not running has changed nothing', async () => {
  const dependencies = {
    log: pino({ level: 'silent' }),
    saved: { has: () => true },
    lineages: { movedAt: () => undefined },
  } as unknown as SessionDependencies;
  const session = new Session('main', dependencies, {} as OtherSessions);
  const refusal = new GatewayError('session_not_exportable', 'its profile is too large');
  const refused = session.moveOut(async () => {
    throw refusal;
  });
  await expect(refused).rejects.toBe(refusal);
  expect(isAfterChange(refusal)).toBe(false);
});
