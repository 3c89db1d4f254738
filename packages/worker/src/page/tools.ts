import type {
  PageChat,
  PageId,
  PageMessage,
  PageModules,
  PageParticipant,
  PageTools,
  PageWindow,
  SendOutcome,
} from './window.ts';

declare const window: PageWindow;

/**
 * Makes ids readable however this build of the page spells their serialised form, mends what the library hands to the
 * page, and leaves in the page what the other scripts share. `lookUpsFrom`: before this time, in milliseconds since
 * 1970, the network is not asked about numbers by itself.
 */
export function installTools(lookUpsFrom: number): void {
  const optional = <N extends keyof PageModules>(name: N): Partial<PageModules[N]> | undefined => {
    try {
      return window.require(name);
    } catch {
      return undefined;
    }
  };

  const readable = (prototype: object) => {
    if (Object.hasOwn(prototype, '_serialized')) return;
    Object.defineProperty(prototype, '_serialized', {
      configurable: true,
      get(): string {
        return String(this);
      },
      // Builds that still have the property set it in the constructor.
      set(value: string) {
        Object.defineProperty(this, '_serialized', { value, writable: true, enumerable: true, configurable: true });
      },
    });
  };
  const { createWid } = window.require('WAWebWidFactory');
  readable(window.require('WAWebMsgKey').prototype);
  for (const id of ['0@c.us', '0@g.us', '0@lid']) readable(Object.getPrototypeOf(createWid(id)));

  const me = window.require('WAWebUserPrefsMeUser');
  const { Msg, Blocklist } = window.require('WAWebCollections');
  const delay = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

  // Identities: what the page has in memory, without a question to the network.
  const numberOf = (lid: PageId): PageId | undefined => {
    const numbers = optional('WAWebApiContact')?.getPhoneNumber ?? optional('WAWebLidMigrationUtils')?.toPn;
    try {
      return numbers?.(lid) ?? undefined;
    } catch {
      return undefined; // Some ids that look like a person's are none.
    }
  };
  const isHidden = (id: PageId | undefined): id is PageId => id !== undefined && String(id).endsWith('@lid');
  const phoneOr = (id: PageId | undefined) => {
    if (!id) return undefined;
    return isHidden(id) ? String(numberOf(id) ?? id) : String(id);
  };
  const lidOf = (id: PageId | object) => {
    if (isHidden(id as PageId)) return String(id);
    try {
      const lid = optional('WAWebApiContact')?.getCurrentLid?.(id);
      return lid ? String(lid) : undefined;
    } catch {
      return undefined;
    }
  };

  // Identities: what the network is asked for, once each.
  const lookUpMs = 2_000;
  const unknownForMs = 600_000;
  const mostLookUps = 5_000;
  const lookUps = new Map<string, { readonly at: number; readonly done: Promise<void> }>();
  let lastLookUp: Promise<void> = Promise.resolve();
  const mayLookUp = () => Date.now() >= lookUpsFrom;
  const learnNumber = (lid: PageId): Promise<void> => {
    const key = String(lid);
    const known = lookUps.get(key);
    if (known && Date.now() - known.at < unknownForMs) return known.done;
    // One at a time: the network limits the rate of those who ask about many at once.
    lastLookUp = lastLookUp.then(async () => {
      await Promise.race([window.WWebJS.enforceLidAndPnRetrieval(key).catch(() => {}), delay(lookUpMs)]);
    });
    lookUps.delete(key);
    lookUps.set(key, { at: Date.now(), done: lastLookUp });
    for (const oldest of lookUps.keys()) {
      if (lookUps.size <= mostLookUps) break;
      lookUps.delete(oldest);
    }
    return lastLookUp;
  };
  const learnNumbers = async (ids: readonly (PageId | undefined)[]) => {
    const unknown = ids.filter((id): id is PageId => isHidden(id) && !numberOf(id));
    if (unknown.length === 0 || !mayLookUp()) return;
    await Promise.race([Promise.all(unknown.map(learnNumber)), delay(lookUpMs)]);
  };
  const registered = new Set<string>();
  const isRegistered = async (wid: object) => {
    const ask = optional('WAWebQueryExistsJob')?.queryWidExists;
    if (!ask) return true; // What is asked of the network next will say.
    const key = String(wid);
    if (!registered.has(key) && (await ask(wid))?.wid) registered.add(key);
    return registered.has(key);
  };

  const own = () => [me.getMaybeMePnUser(), me.getMaybeMeLidUser()];
  const isMe = (id: PageId) => own().some((wid) => wid !== undefined && String(wid) === String(id));

  // Messages.
  const quotedId = ({ id, quotedStanzaID, quotedParticipant }: PageMessage) => {
    if (!quotedStanzaID || !quotedParticipant) return undefined;
    const mine = isMe(quotedParticipant) || own().some((wid) => phoneOr(wid) === phoneOr(quotedParticipant));
    const key = `${mine}_${id.remote}_${quotedStanzaID}`;
    if (isMe(id.remote) && /_(in|out)$/.test(String(id))) return `${key}_out`; // A note to oneself.
    return String(id.remote).endsWith('@g.us') ? `${key}_${quotedParticipant}` : key;
  };
  const messageModel: PageTools['messageModel'] = (message) => ({
    id: String(message.id),
    fromMe: message.id.fromMe,
    from: phoneOr(message.from),
    to: phoneOr(message.to),
    author: phoneOr(message.author),
    quotedMessageId: quotedId(message),
    mentionedIds: (message.mentionedJidList ?? []).map(phoneOr),
    type: message.type,
    // Of a file this would be its thumbnail.
    body: message.directPath ? undefined : message.body,
    caption: message.caption,
    t: message.t,
    ack: message.ack,
    hasMedia: Boolean(message.directPath),
    mimetype: message.mimetype,
    filename: message.filename,
    isForwarded: message.isForwarded === true,
    isStatus: message.isStatusV3 === true || String(message.id.remote) === 'status@broadcast',
  });
  const sentModel: PageTools['sentModel'] = (message) => {
    try {
      return messageModel(message);
    } catch {
      return undefined;
    }
  };
  const notTold = new Set([
    ...['gp2', 'notification', 'notification_template', 'broadcast_notification', 'group_notification'],
    ...['newsletter_notification', 'e2e_notification', 'call_log', 'protocol', 'ciphertext', 'revoked'],
    ...['debug', 'debug_placeholder', 'unknown', 'oversized', 'reaction', 'pin_message', 'keep_in_chat'],
  ]);
  const isChannel = (id: PageId) => String(id).endsWith('@newsletter');

  // Sends: the page answers each with a promise of its own, which the library does not hand on.
  const outcomes = new Map<string, Promise<SendOutcome>>();
  // The other names leave open whether the network has it: an answer that was lost may have been a yes.
  const refusals = new Set(['ERROR_UPLOAD', 'ERROR_CANCELLED', 'ERROR_RATE_LIMIT']);
  const readOutcome: PageTools['readOutcome'] = (result) => {
    const { messageSendResult, ackErrorCode } = (result ?? {}) as Record<string, unknown>;
    const name = messageSendResult === undefined ? undefined : String(messageSendResult);
    const code = Number(ackErrorCode) || undefined;
    if (name === 'OK') return { is: 'sent' };
    return { is: code !== undefined || refusals.has(name ?? '') ? 'refused' : 'unknown', name, code };
  };
  const forgetOutcomeMs = 120_000;
  const sends = optional('WAWebSendMsgChatAction');
  const addAndSend = sends?.addAndSendMsgToChat;
  if (sends && addAndSend) {
    const noted: typeof addAndSend = (chat, message, ...more) => {
      const promises = addAndSend.call(sends, chat, message, ...more);
      const key = String(message.id);
      const outcome = Promise.resolve(promises[1]).then(readOutcome, () => readOutcome(undefined));
      outcomes.set(key, outcome);
      setTimeout(() => outcomes.delete(key), forgetOutcomeMs);
      return promises;
    };
    try {
      sends.addAndSendMsgToChat = noted;
    } catch {
      // A build that seals its modules: the acks tell the outcome, too.
    }
  }

  // Groups.
  const settleMs = 50;
  const loaded = (group: PageChat) => group.groupMetadata?.participants?.getModelsArray() ?? [];
  const membersOf = async (group: PageChat, timeoutMs: number) => {
    if (loaded(group).length > 0) return loaded(group);
    if (timeoutMs <= 0) return undefined;
    const deadline = Date.now() + timeoutMs;
    const { GroupMetadata, WAWebGroupMetadataCollection } = window.require('WAWebCollections');
    const query = optional('WAWebGroupQueryJob')?.queryAndUpdateGroupMetadataById;
    // The job rejects where the network puts it off; the collection then says that there are no members.
    const asked = query ? query({ id: group.id }) : (GroupMetadata ?? WAWebGroupMetadataCollection)?.update(group.id);
    await Promise.race([asked, delay(timeoutMs)]);
    // Models follow the answer a moment later.
    const until = Math.min(deadline, Date.now() + 20 * settleMs);
    while (loaded(group).length === 0 && Date.now() < until) await delay(settleMs);
    return loaded(group).length > 0 ? loaded(group) : undefined;
  };

  const refusal = (error: unknown) => {
    const { status, statusCode, name } = (error ?? {}) as Record<string, unknown>;
    const code = Number(status ?? statusCode);
    if (Number.isFinite(code) && code > 0) return code;
    return name === 'ServerStatusCodeError' ? 400 : undefined;
  };
  const ownGroup: PageTools['ownGroup'] = async (id, timeoutMs) => {
    const group = window.require('WAWebCollections').Chat.get(id);
    if (!group) return undefined;
    let members: PageParticipant[] | undefined;
    try {
      members = await membersOf(group, timeoutMs);
    } catch (error) {
      const refused = refusal(error);
      if (refused === 403 || refused === 404) return undefined;
      // Put off, or failed: the members are not known, which is not to say that there are none.
    }
    const self = members?.find((member) => isMe(member.id));
    if (members && !self) return undefined;
    return { group, members, isAdmin: self && (self.isAdmin === true || self.isSuperAdmin === true) };
  };

  // Files.
  const files = new Map<string, Blob>();
  const dropped = new Set<string>();
  const lateMs = 600_000;

  window.chatWebTools = {
    ...{
      optional,
      phoneOr,
      lidOf,
      learnNumbers,
      isRegistered,
      isMe,
      messageModel,
      sentModel,
      readOutcome,
      ownGroup,
      refusal,
      files,
    },
    isChat: ({ id }) => !/@(broadcast|newsletter)$/.test(String(id)),
    refusedBy: (error) => {
      const refused = refusal(error);
      if (refused === undefined) throw error;
      return { refused };
    },
    posted: async (result, findMessage) => {
      const { is, name } = readOutcome(result);
      if (is === 'refused') return { refused: name ?? 'no reason' };
      if (name !== undefined && is === 'unknown') return undefined;
      const message = result?.msg ?? (await findMessage());
      const model = message && sentModel(message);
      return model && { message: model };
    },
    learnPeople: ({ from, to, author, quotedParticipant, mentionedJidList = [] }) =>
      learnNumbers([from, to, author, quotedParticipant, ...mentionedJidList]),
    isTold: ({ id, type }) => !notTold.has(type) && !isChannel(id.remote),
    outcomeOf: (id) => outcomes.get(id),
    findMessage: async (id) => Msg.get(id) ?? (await Msg.getMessagesById([id]))?.messages?.[0],
    contactModel: (contact) => {
      const getters = optional('WAWebContactGetters');
      const lid = lidOf(contact.id);
      const isUser = getters?.getIsUser?.(contact) ?? /@(c\.us|lid)$/.test(String(contact.id));
      return {
        id: phoneOr(contact.id),
        lid,
        isHidden: isHidden(contact.id),
        name: getters?.getName ? getters.getName(contact) : contact.name,
        pushname: getters?.getPushname ? getters.getPushname(contact) : contact.pushname,
        isMe: isMe(contact.id),
        isUser,
        isMyContact: optional('WAWebFrontendContactGetters')?.getIsMyContact?.(contact) ?? Boolean(contact.name),
        isWAContact: getters?.getIsWAContact?.(contact) ?? isUser,
        isBusiness: contact.isBusiness,
        isBlocked:
          contact.isContactBlocked === true || Boolean(Blocklist.get(contact.id) || (lid && Blocklist.get(lid))),
      };
    },
    keep: (key, file) => {
      if (!dropped.delete(key)) files.set(key, file);
    },
    drop: (key) => {
      if (files.delete(key)) return;
      dropped.add(key);
      setTimeout(() => dropped.delete(key), lateMs); // Most never come: there was nothing to load.
    },
  };

  // Media come as files that the browser has read from disk itself; the library would have them as one base64 string.
  const mediaInfoToFile = window.WWebJS.mediaInfoToFile;
  window.WWebJS.mediaInfoToFile = (info) => {
    const file = files.get(info.data);
    return file ? new File([file], info.filename ?? '', { type: info.mimetype }) : mediaInfoToFile(info);
  };

  // The library spreads this model into the message: an id of the model's own, where builds since September 2026 have
  // one, would take the place of the message's. The model itself still needs it, so that it is hidden, not deleted.
  const processMediaData = window.WWebJS.processMediaData;
  window.WWebJS.processMediaData = async (info, options) => {
    const media = await processMediaData(info, options);
    if (Object.hasOwn(media, '__x_id')) Object.defineProperty(media, '__x_id', { enumerable: false });
    return media;
  };
}
