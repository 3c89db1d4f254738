import type { OwnSessions } from '../cluster/cluster.ts';
import type { Lineages } from '../sessions/lineages.ts';
import type { SavedSessions } from '../sessions/saved-sessions.ts';
import { viewOf } from '../sessions/session-view.ts';
import type { Supervisor } from '../sessions/supervisor.ts';
import { digestsIn } from './digest-field.ts';
import type { Mover } from './mover.ts';

/** For a session that arrives to be ready. */
const MAX_UP_MS = 30_000;

interface Dependencies {
  readonly supervisor: Supervisor;
  readonly saved: SavedSessions;
  readonly lineages: Lineages;
  readonly mover: Mover;
}

/** The sessions of this gateway, as the moves of a cluster use them. */
export function clusterSessions({ supervisor, saved, lineages, mover }: Dependencies): OwnSessions {
  const isElsewhere = (id: string) => lineages.movedAt(id) !== undefined;
  const idleMs = (id: string) => supervisor.session(id)?.stats.idleMs ?? Number.POSITIVE_INFINITY;
  return {
    placed: () => saved.ids().filter((id) => lineages.isPlaced(id)),
    views: () =>
      supervisor
        .list()
        .filter(({ id }) => !lineages.isPlaced(id))
        .map((session) => ({ ...viewOf(session), number: session.isLinked ? session.number : undefined })),
    moved: () => saved.ids().filter((id) => isElsewhere(id) && !lineages.isPlaced(id)),
    movable: () =>
      saved
        .ids()
        .filter((id) => !isElsewhere(id))
        .sort((a, b) => idleMs(b) - idleMs(a)),
    isHere: (id) => saved.has(id) && !isElsewhere(id),
    requireRoom: (id) => mover.requireRoom(id),
    arrive: async (id, { bytes, contentDigest }, move) => {
      const digests = digestsIn('Content-Digest', contentDigest ?? undefined);
      const session = await mover.import(id, { archive: bytes, digests }, {}, move);
      if (move.starts) await session.up(MAX_UP_MS);
    },
    takeBack: (id, starts) => supervisor.takeBack(id, starts),
    stop: (id) => supervisor.stop(id, new AbortController().signal),
    discard: (id) => supervisor.discard(id),
  };
}
