import { presences } from '../models/presences.ts';
import type { Page } from '../page.ts';
import type { Modules } from '../registry.ts';
import { createWid, type Wid } from '../wid.ts';

/** Subscriptions to the presence of others. */
export function presenceModules({ connection, users }: Page): Modules {
  connection.handle('activity', ({ activity }) => {
    const { id, participant } = activity;
    // By the hidden id or the number: the one that the page uses.
    const known = users.known(id);
    const ids = [id, known?.pn, known?.lid].flatMap((each) => (each === undefined ? [] : [createWid(each)]));
    const presence = ids.map((each) => presences.get(each)).find((each) => each !== undefined);
    presence?.become(activity, participant === undefined ? undefined : createWid(participant));
  });
  // There is no answer.
  const subscribe = (id: Wid) => void connection.request('subscribe-presence', { id: String(id) });
  return {
    WAWebPresenceCollection: { PresenceCollection: presences },
    WAWebContactPresenceBridge: {
      subscribePresence: async (id: Wid, _token?: unknown) => subscribe(id),
      subscribeUserPresence: async (id: Wid) => subscribe(id),
      subscribeGroupPresence: (id: Wid) => subscribe(id),
    },
  };
}
