import type { SessionEvent } from '@chat-web/protocol';
import type { Stack } from './stack.ts';

const MOST = 1_000;

/** All events of a session that its gateway has stored, oldest first. */
export async function storedEvents({ address }: Stack, id: string): Promise<SessionEvent[]> {
  const headers = {
    Accept: 'application/json',
    ...(address.token ? { Authorization: `Bearer ${address.token}` } : {}),
  };
  const all: SessionEvent[] = [];
  for (let after = 'oldest'; ; ) {
    const answer = await fetch(`${address.url}/sessions/${id}/events?limit=${MOST}&after=${after}`, { headers });
    const { events, next } = (await answer.json()) as { events: { event: string; data: unknown }[]; next: string };
    if (events.length === 0) return all;
    all.push(...events.map(({ event, data }) => ({ name: event, data }) as SessionEvent));
    after = next;
  }
}
