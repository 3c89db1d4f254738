import type { StoredTable } from './contract/changes.ts';
import { resultWithin } from './delay.ts';
import type { PageCall, PageChange, PageChat, PageMessage, PageReaction } from './models.ts';
import { isAwaited, reportOnceReadable } from './tools/arrivals.ts';
import type { FoundChange } from './tools/changes.ts';
import {
  called,
  chatState,
  edited,
  editing,
  hasFailedEdit,
  isNews,
  isUnsent,
  noteCatchUp,
  RECENT_MS,
  reacted,
  regrouped,
  report,
  revoked,
  revokedUnseen,
  rings,
  sentElsewhere,
  voted,
} from './tools/changes.ts';
import { optional, resolveNumbers, wrapFunction } from './tools/identities.ts';
import { findMessage, isChat, keysOf } from './tools/messages.ts';
import { activityChange, watchAgain } from './tools/presences.ts';

/** Some changes come in pairs: archiving a chat also unpins it. */
const TOGETHER_MS = 200;
/** How long a call counts as reported. */
const REMEMBERED_MS = 600_000;
/** How many of the newest messages to read for changes. */
const MAX_MESSAGES = 2_000;
const READ_MS = 10_000;

const attached = new Set<string>();

/** Wraps a listener so that its errors do not reach the page. */
function ignoringErrors<A extends unknown[]>(listener: (...args: A) => void) {
  return (...args: A) => {
    try {
      listener(...args);
    } catch {
      // This build uses another form.
    }
  };
}

/** Reports a message that the account sent on another device. */
const reportSent = ignoringErrors((message: PageMessage) => report(sentElsewhere(message)));

/**
 * Listens to changes of messages, chats, calls and presence, and reports them. Call again while the page may load more
 * of its modules: each listener is attached once. Does not use the library's wrappers: if one of these rejects, the
 * page loses what it was about to store.
 */
export function listenToChanges(): void {
  const { Msg } = window.require('WAWebCollections');
  const once = (name: string, attach: () => boolean) => {
    if (!attached.has(name) && attach()) attached.add(name);
  };
  const onMessage = (event: string, listener: (message: PageMessage) => void) =>
    Msg.on(event, ignoringErrors(listener));

  once('messages', () => {
    onMessage('add', (message) => {
      // Call log entries have no `isNewMsg`.
      const call = called(message);
      if (call && call.at > Date.now() - RECENT_MS) report(call);
      if (!message.isNewMsg) return;
      if (message.type === 'gp2') report(regrouped(message));
      else if (message.type === 'revoked') report(revoked(message));
      else if (message.id.fromMe) reportOnceReadable(message, reportSent);
    });
    const reportEdit = (message: PageMessage) => {
      if (!hasFailedEdit(message)) report(edited(message));
    };
    onMessage('change:latestEditMsgKey', (message) => {
      const edit = editing(message);
      // Not an edit by this page: it came from the network.
      if (!edit) report(edited(message));
      else void edit.catch(() => {}).then(ignoringErrors(() => reportEdit(message)));
    });
    // The page has retried a failed edit.
    onMessage('change:isSendFailure', (message) => {
      if (!editing(message)) reportEdit(message);
    });
    onMessage('change:type', (message) => report(revoked(message)));
    onMessage('change:callOutcome', (message) => report(called(message)));
    return true;
  });

  /** Wraps a function of the page to report its arguments before it runs. False if it cannot be wrapped. */
  const before = <O extends object, N extends keyof O>(
    owner: O | undefined,
    name: N,
    report: (...args: Parameters<Extract<O[N], (...args: never[]) => unknown>>) => void,
  ): boolean => {
    const reportIgnoringErrors = ignoringErrors(report);
    return wrapFunction(owner, name, (own) => {
      const wrapped = (...args: Parameters<typeof report>) => {
        reportIgnoringErrors(...args);
        return (own as typeof report).apply(owner, args);
      };
      return wrapped as O[N];
    });
  };
  // Changes of a message that is not in the page's memory only reach its database.
  once('deletions', () =>
    before(Msg, 'processMultipleMessages', (_chatId, records) => {
      for (const record of records) ignoringErrors(() => report(revokedUnseen(record)))();
    }),
  );
  once('edits', () =>
    before(optional('WAWebUpdateEditedMessagesAction'), 'updateEditedMessagesAction', (edits) => {
      for (const { parentMsg, editedMsgData, isLatest } of edits)
        if (isLatest && !Msg.get(String(parentMsg.id)))
          ignoringErrors(() => report(edited({ ...parentMsg, ...editedMsgData })))();
    }),
  );

  once('chats', () => {
    const { Chat, Mute } = window.require('WAWebCollections');
    if (!Chat.on) return false;
    const waiting = new Set<PageChat>();
    const reportSoon = (chat: PageChat | undefined) => {
      if (!chat || waiting.has(chat) || !isChat(chat)) return;
      waiting.add(chat);
      setTimeout(
        ignoringErrors(() => {
          waiting.delete(chat);
          report(chatState(chat));
        }),
        TOGETHER_MS,
      );
    };
    for (const event of ['change:archive', 'change:pin']) Chat.on(event, ignoringErrors(reportSoon));
    // Each incoming message increases the count, and is reported as a message.
    Chat.on(
      'change:unreadCount',
      ignoringErrors((chat, now) => {
        if (Number(now) <= 0) reportSoon(chat);
      }),
    );
    Mute?.on?.(
      'change:expiration',
      ignoringErrors(({ id }) => reportSoon(id && Chat.get(id))),
    );
    return true;
  });

  once('calls', () => {
    const calls = optional('WAWebCallCollection');
    if (!calls?.on) return false;
    const reported = new Set<string>();
    const reportSoon = ignoringErrors((call: PageCall | null | undefined) => {
      // The state is set a moment later.
      setTimeout(
        ignoringErrors(() => {
          const { id } = call ?? {};
          const ringing = call && id && !reported.has(id) ? rings(call) : undefined;
          if (!ringing || !id) return;
          reported.add(id);
          setTimeout(() => reported.delete(id), REMEMBERED_MS);
          report(ringing);
        }),
        0,
      );
    });
    for (const event of ['change:activeCall', 'add']) calls.on(event, reportSoon);
    // Without a call engine, the page creates the call here, and emits no event.
    wrapFunction(calls, 'processIncomingCall', (take) => (...incoming) => {
      const call = take.apply(calls, incoming);
      reportSoon(call);
      return call;
    });
    return true;
  });

  once('presence', () => {
    const { PresenceCollection: presences } = optional('WAWebPresenceCollection') ?? {};
    for (const event of ['change:chatstate.type', 'change:hasData'])
      presences?.on(
        event,
        ignoringErrors((what) => {
          // In the same turn, the page sets whether the network reported this.
          void Promise.resolve().then(ignoringErrors(() => report(activityChange(what))));
        }),
      );
    return presences !== undefined;
  });

  once('connection', () => {
    const { Socket } = optional('WAWebSocketModel') ?? {};
    Socket?.on(
      'change:state',
      ignoringErrors((_, state) => {
        if (state === 'CONNECTED') void watchAgain('all');
      }),
    );
    return Socket !== undefined;
  });

  /**
   * Wraps the functions of a table that stores rows: the page calls them as before, and gets their results. Only news
   * is reported: the page also stores history with them, and stores rows again when their chat is read. A row created
   * in this page is stored before it is sent, and reported with its ack.
   */
  const onStored = <R extends Pick<PageReaction, 'id' | 'ack' | 't'>>(
    mode: StoredTable<R> | undefined,
    sentAt: (row: R) => number | undefined,
    report: (row: R) => void,
  ) => {
    if (typeof mode?.bulkUpsert !== 'function') return false;
    const reportNews = (row: R) => isNews(row, sentAt(row)) && report(row);
    const onAck = ignoringErrors((row: R, ack: number) => row.id?.fromMe && ack > 0 && reportNews(row));
    const hasAcks = wrapFunction(mode, 'updateAck', (updateAck) => (row, ack, ...more) => {
      const updated = updateAck.call(mode, row, ack, ...more);
      onAck(row, ack);
      return updated;
    });
    const onRows = ignoringErrors((rows: readonly R[]) => {
      for (const row of rows) ignoringErrors(() => (hasAcks && isUnsent(row)) || reportNews(row))();
    });
    return wrapFunction(mode, 'bulkUpsert', (store) => (rows, ...more) => {
      const stored = store.call(mode, rows, ...more);
      onRows(rows);
      return stored;
    });
  };
  once('reactions', () =>
    onStored(
      optional('WAWebAddonReactionTableMode')?.reactionTableMode,
      ({ reactionTimestamp }) => reactionTimestamp,
      (row) => report(reacted(row)),
    ),
  );
  once('votes', () =>
    onStored(
      optional('WAWebAddonPollVoteTableMode')?.pollVoteTableMode,
      ({ senderTimestampMs }) => senderTimestampMs,
      (row) => {
        const poll = findMessage(String(row.pollUpdateParentKey)).catch(() => undefined);
        void poll.then(ignoringErrors((found) => report(voted(row, found))));
      },
    ),
  );
}

/** The newest changes, since a time in milliseconds, of the messages that the page has in memory, oldest first. */
export async function changesSince(since: number, max: number): Promise<PageChange[]> {
  noteCatchUp(since);
  const { Msg } = window.require('WAWebCollections');
  const newest = Msg.getModelsArray()
    .sort((one, other) => (one.t ?? 0) - (other.t ?? 0))
    .slice(-MAX_MESSAGES);
  const attempt = <R>(read: () => R): R | undefined => {
    try {
      return read();
    } catch {
      return undefined; // One unreadable message must not fail the others.
    }
  };
  const deadline = Date.now() + READ_MS;
  const mode = optional('WAWebAddonReactionTableMode')?.reactionTableMode;
  const stored = attempt(() => mode?.bulkGetByParentMsgKey?.(newest.map(({ id }) => id)));
  const inTime = <R>(rows: R) => resultWithin(rows, deadline - Date.now());
  const reactions = (await inTime(stored)) ?? [];
  const asked = newest.flatMap((one) => (one.pollOptions ? keysOf(one).map((key) => ({ key, poll: one })) : []));
  const polls = new Map(asked.map(({ key, poll }) => [String(key), poll]));
  const votesTable = optional('WAWebAddonPollVoteTableMode')?.pollVoteTableMode;
  const keys = asked.map(({ key }) => key);
  const cast = attempt(() => (keys.length > 0 ? votesTable?.bulkGetByParentMsgKey?.(keys) : undefined));
  const votes = (await inTime(cast)) ?? [];
  const found = [
    ...newest.flatMap((message) => [
      attempt(() => ((message.ack ?? 0) > 0 && !isAwaited(message, reportSent) ? sentElsewhere(message) : undefined)),
      attempt(() => (hasFailedEdit(message) || editing(message) ? undefined : edited(message))),
      attempt(() => revoked(message)),
      attempt(() => regrouped(message)),
      attempt(() => called(message)),
    ]),
    ...reactions.map((row) => attempt(() => (isUnsent(row) ? undefined : reacted(row)))),
    ...votes.map((row) =>
      attempt(() => (isUnsent(row) ? undefined : voted(row, polls.get(String(row.pollUpdateParentKey))))),
    ),
  ];
  const changes = found
    .filter((one): one is FoundChange => one !== undefined && one.at >= since)
    .sort((one, other) => one.at - other.at)
    .slice(-max);
  await resolveNumbers(changes.flatMap(({ people }) => people));
  return changes.flatMap(({ read }) => attempt(read) ?? []);
}
