import type { StoredTable } from './contract/changes.ts';
import type { FoundChange } from './tools/changes.ts';
import type { PageCall, PageChange, PageChat, PageMessage, PageReaction, PageWindow } from './window.ts';

declare const window: PageWindow;

/**
 * Listens to changes of messages, chats, calls and presence, and reports them. Call again while the page may load more
 * of its modules: each listener is attached once. Does not use the library's wrappers: if one of these rejects, the
 * page loses what it was about to store.
 */
export function listenToChanges(): void {
  const { Msg } = window.require('WAWebCollections');
  const tools = window.chatWebTools;
  const state = window.chatWeb;
  if (!state) return;
  const once = (name: string, attach: () => boolean) => {
    if (state.attached?.[name]) return;
    if (attach()) state.attached = { ...state.attached, [name]: true };
  };
  /** Wraps a listener so that its errors do not reach the page. */
  const quietly = <A extends unknown[]>(listener: (...args: A) => void) => {
    return (...args: A) => {
      try {
        listener(...args);
      } catch {
        // This build uses another form.
      }
    };
  };
  const onMessage = (event: string, listener: (message: PageMessage) => void) => Msg.on(event, quietly(listener));

  once('messages', () => {
    const recentMs = 3_600_000;
    onMessage('add', (message) => {
      // Call log entries have no `isNewMsg`.
      const call = tools.called(message);
      if (call && call.at > Date.now() - recentMs) tools.report(call);
      if (!message.isNewMsg) return;
      if (message.type === 'gp2') tools.report(tools.regrouped(message));
      else if (message.type === 'revoked') tools.report(tools.revoked(message));
      else if (message.type !== 'ciphertext') tools.report(tools.sentElsewhere(message));
      else
        message.once(
          'change:type',
          quietly((decrypted) => tools.report(tools.sentElsewhere(decrypted))),
        );
    });
    const reportEdit = (message: PageMessage) => {
      if (!tools.hasFailedEdit(message)) tools.report(tools.edited(message));
    };
    onMessage('change:latestEditMsgKey', (message) => {
      const editing = tools.editing(message);
      // Not an edit by this page: it came from the network.
      if (!editing) tools.report(tools.edited(message));
      else void editing.catch(() => {}).then(quietly(() => reportEdit(message)));
    });
    // The page has retried a failed edit.
    onMessage('change:isSendFailure', (message) => {
      if (!tools.editing(message)) reportEdit(message);
    });
    onMessage('change:type', (message) => tools.report(tools.revoked(message)));
    onMessage('change:callOutcome', (message) => tools.report(tools.called(message)));
    return true;
  });

  /** Wraps a function of the page to report its arguments before it runs. False if it cannot be wrapped. */
  const before = <O extends object, N extends keyof O>(
    owner: O | undefined,
    name: N,
    report: (...args: Parameters<Extract<O[N], (...args: never[]) => unknown>>) => void,
  ): boolean => {
    const own = owner?.[name];
    if (!owner || typeof own !== 'function') return false;
    const reportQuietly = quietly(report);
    const wrapped = ((...args: Parameters<typeof report>) => {
      reportQuietly(...args);
      return own.apply(owner, args);
    }) as O[N];
    try {
      owner[name] = wrapped;
    } catch {
      // A build that freezes its modules.
    }
    return owner[name] === wrapped;
  };
  // Changes of a message that is not in the page's memory only reach its database.
  once('deletions', () =>
    before(Msg, 'processMultipleMessages', (_chatId, records) => {
      for (const record of records) quietly(() => tools.report(tools.revokedUnseen(record)))();
    }),
  );
  once('edits', () =>
    before(tools.optional('WAWebUpdateEditedMessagesAction'), 'updateEditedMessagesAction', (edits) => {
      for (const { parentMsg, editedMsgData, isLatest } of edits)
        if (isLatest && !Msg.get(String(parentMsg.id)))
          quietly(() => tools.report(tools.edited({ ...parentMsg, ...editedMsgData })))();
    }),
  );

  once('chats', () => {
    const { Chat, Mute } = window.require('WAWebCollections');
    if (!Chat.on) return false;
    // Some changes come in pairs: archiving a chat also unpins it.
    const together = 200;
    const waiting = new Set<PageChat>();
    const report = (chat: PageChat | undefined) => {
      if (!chat || waiting.has(chat) || !tools.isChat(chat)) return;
      waiting.add(chat);
      setTimeout(
        quietly(() => {
          waiting.delete(chat);
          tools.report(tools.chatState(chat));
        }),
        together,
      );
    };
    for (const event of ['change:archive', 'change:pin']) Chat.on(event, quietly(report));
    // Each incoming message increases the count, and is reported as a message.
    Chat.on(
      'change:unreadCount',
      quietly((chat, now) => {
        if (Number(now) <= 0) report(chat);
      }),
    );
    Mute?.on?.(
      'change:expiration',
      quietly(({ id }) => report(id && Chat.get(id))),
    );
    return true;
  });

  once('calls', () => {
    const calls = tools.optional('WAWebCallCollection');
    if (!calls?.on) return false;
    const reported = new Set<string>();
    const rememberedMs = 600_000;
    const report = quietly((call: PageCall | null | undefined) => {
      // The state is set a moment later.
      setTimeout(
        quietly(() => {
          const { id } = call ?? {};
          const ringing = call && id && !reported.has(id) ? tools.rings(call) : undefined;
          if (!ringing || !id) return;
          reported.add(id);
          setTimeout(() => reported.delete(id), rememberedMs);
          tools.report(ringing);
        }),
        0,
      );
    });
    for (const event of ['change:activeCall', 'add']) calls.on(event, report);
    const { processIncomingCall: take } = calls;
    if (typeof take === 'function')
      try {
        // Without a call engine, the page creates the call here, and emits no event.
        calls.processIncomingCall = (...incoming) => {
          const call = take.apply(calls, incoming);
          report(call);
          return call;
        };
      } catch {
        // A build that freezes its modules.
      }
    return true;
  });

  once('presence', () => {
    const { PresenceCollection: presences } = tools.optional('WAWebPresenceCollection') ?? {};
    for (const event of ['change:chatstate.type', 'change:hasData'])
      presences?.on(
        event,
        quietly((what) => {
          // In the same turn, the page sets whether the network reported this.
          void Promise.resolve().then(quietly(() => tools.report(tools.activityChange(what))));
        }),
      );
    return presences !== undefined;
  });

  once('connection', () => {
    const { Socket } = tools.optional('WAWebSocketModel') ?? {};
    Socket?.on(
      'change:state',
      quietly((_, state) => {
        if (state === 'CONNECTED') void tools.watchAgain('all');
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
    const { bulkUpsert: store, updateAck } = mode ?? {};
    if (!mode || typeof store !== 'function') return false;
    const reportNews = (row: R) => tools.isNews(row, sentAt(row)) && report(row);
    const hasAcks = typeof updateAck === 'function';
    const onRows = quietly((rows: readonly R[]) => {
      for (const row of rows) quietly(() => (hasAcks && tools.isUnsent(row)) || reportNews(row))();
    });
    const onAck = quietly((row: R, ack: number) => row.id?.fromMe && ack > 0 && reportNews(row));
    try {
      if (hasAcks)
        mode.updateAck = (row, ack, ...more) => {
          const updated = updateAck.call(mode, row, ack, ...more);
          onAck(row, ack);
          return updated;
        };
      mode.bulkUpsert = (rows, ...more) => {
        const stored = store.call(mode, rows, ...more);
        onRows(rows);
        return stored;
      };
    } catch {
      // A build that freezes its modules.
    }
    return mode.bulkUpsert !== store;
  };
  once('reactions', () =>
    onStored(
      tools.optional('WAWebAddonReactionTableMode')?.reactionTableMode,
      ({ reactionTimestamp }) => reactionTimestamp,
      (row) => tools.report(tools.reacted(row)),
    ),
  );
  once('votes', () =>
    onStored(
      tools.optional('WAWebAddonPollVoteTableMode')?.pollVoteTableMode,
      ({ senderTimestampMs }) => senderTimestampMs,
      (row) => {
        const poll = tools.findMessage(String(row.pollUpdateParentKey)).catch(() => undefined);
        void poll.then(quietly((found) => tools.report(tools.voted(row, found))));
      },
    ),
  );
}

/** The newest changes, since a time in milliseconds, of the messages that the page has in memory, oldest first. */
export async function changesSince(since: number, max: number): Promise<PageChange[]> {
  const tools = window.chatWebTools;
  if (window.chatWeb) window.chatWeb.caughtUp = { since, at: Date.now() };
  const { Msg } = window.require('WAWebCollections');
  const maxMessages = 2_000;
  const readMs = 10_000;
  const newest = Msg.getModelsArray()
    .sort((one, other) => (one.t ?? 0) - (other.t ?? 0))
    .slice(-maxMessages);
  const attempt = <R>(read: () => R): R | undefined => {
    try {
      return read();
    } catch {
      return undefined; // One unreadable message must not fail the others.
    }
  };
  const late = new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), readMs));
  const mode = tools.optional('WAWebAddonReactionTableMode')?.reactionTableMode;
  const stored = attempt(() => mode?.bulkGetByParentMsgKey?.(newest.map(({ id }) => id)));
  const reactions = (await Promise.race([Promise.resolve(stored).catch(() => undefined), late])) ?? [];
  const asked = newest.flatMap((one) => (one.pollOptions ? tools.keysOf(one).map((key) => ({ key, poll: one })) : []));
  const polls = new Map(asked.map(({ key, poll }) => [String(key), poll]));
  const votesTable = tools.optional('WAWebAddonPollVoteTableMode')?.pollVoteTableMode;
  const keys = asked.map(({ key }) => key);
  const cast = attempt(() => (keys.length > 0 ? votesTable?.bulkGetByParentMsgKey?.(keys) : undefined));
  const votes = (await Promise.race([Promise.resolve(cast).catch(() => undefined), late])) ?? [];
  const found = [
    ...newest.flatMap((message) => [
      attempt(() => ((message.ack ?? 0) > 0 ? tools.sentElsewhere(message) : undefined)),
      attempt(() => (tools.hasFailedEdit(message) || tools.editing(message) ? undefined : tools.edited(message))),
      attempt(() => tools.revoked(message)),
      attempt(() => tools.regrouped(message)),
      attempt(() => tools.called(message)),
    ]),
    ...reactions.map((row) => attempt(() => (tools.isUnsent(row) ? undefined : tools.reacted(row)))),
    ...votes.map((row) =>
      attempt(() => (tools.isUnsent(row) ? undefined : tools.voted(row, polls.get(String(row.pollUpdateParentKey))))),
    ),
  ];
  const changes = found
    .filter((one): one is FoundChange => one !== undefined && one.at >= since)
    .sort((one, other) => one.at - other.at)
    .slice(-max);
  await tools.resolveNumbers(changes.flatMap(({ people }) => people));
  return changes.flatMap(({ read }) => attempt(read) ?? []);
}
