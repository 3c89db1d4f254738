import { setTimeout as delay } from 'node:timers/promises';
import { errorText } from '@chat-web/protocol';
import type { Log } from '../log.ts';

const ROUND_MS = 2_000;

/** Calls `look` for each session every two seconds, one after the other, until the signal aborts. Never rejects. */
export async function everyRound<S extends { readonly id: string }>(
  sessions: () => readonly S[],
  log: Log,
  signal: AbortSignal,
  look: (session: S) => Promise<void>,
): Promise<void> {
  while (await delay(ROUND_MS, true, { signal, ref: false }).catch(() => false)) {
    for (const session of sessions()) {
      await look(session).catch((error: unknown) =>
        log.error({ session: session.id, error: errorText(error) }, 'session not measured'),
      );
    }
  }
}
