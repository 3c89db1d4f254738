/**
 * Functions that run inside the page: each is sent there as text, so it can use nothing from outside itself.
 * They read the page through the same module registry as the library does.
 */

interface Printable {
  toString(): string;
}

interface PageMessage {
  readonly id: Printable & { readonly remote: Printable; readonly participant?: Printable };
  readonly from?: Printable;
  readonly to?: Printable;
  readonly author?: Printable;
  readonly ack: number;
  readonly quotedStanzaID?: string;
  readonly quotedParticipant?: Printable;
  readonly mentionedJidList?: readonly Printable[];
  unsafe(): PageMessage;
}

interface PageModules {
  WAWebCollections: {
    Msg: {
      get(id: string): PageMessage | undefined;
      getMessagesById(ids: string[]): Promise<{ messages?: PageMessage[] } | undefined>;
      on(event: 'change:ack', listener: (message: PageMessage) => void): void;
      off(event: 'change:ack', listener: (message: PageMessage) => void): void;
    };
  };
  WAWebConnModel: { Conn: { pushname?: string; platform?: string } };
  WAWebCmd: { Cmd: { refreshQR?(): void } };
  WAWebLaunchSocketUtils: { refreshQR(): void };
  WAWebLidMigrationUtils: { toPn(wid: unknown): Printable | undefined };
  WAWebMsgKey: { prototype: object };
  WAWebMsgReply: { canReplyMsg(message: PageMessage): boolean };
  WAWebSocketModel: { Socket: { state: string; hasSynced?: boolean; logout(): Promise<void> } };
  WAWebUserPrefsMeUser: { getMaybeMePnUser(): Printable | undefined; getMaybeMeLidUser(): Printable | undefined };
  WAWebWidFactory: { createWid(id: string): object };
}

interface PageElement {
  click(): void;
  querySelectorAll(selector: string): ArrayLike<PageElement>;
}

interface PageWindow {
  readonly document: { querySelectorAll(selector: string): Iterable<PageElement> };
  require<N extends keyof PageModules>(name: N): PageModules[N];
  WWebJS: {
    getChat(id: string, options: { getAsModel: false }): Promise<object | null | undefined>;
    getMessageModel(message: PageMessage): Record<string, unknown>;
  };
  chatWeb?: { document: string; injected?: boolean; listening?: boolean };
  [name: string]: unknown;
}

declare const window: PageWindow;

/** Where the page stands. `document` changes with every load of the page. */
export interface PageLevels {
  readonly document: string;
  readonly injected: boolean;
  readonly listening: boolean;
  readonly socketState: string | undefined;
  readonly hasSynced: boolean;
}

/** Reads levels, so that an edge that was missed is not missed for good. */
export function readLevels(): PageLevels {
  window.chatWeb ??= { document: `${Date.now()}-${Math.random()}` };
  const { document, injected = false, listening = false } = window.chatWeb;
  try {
    const { state, hasSynced } = window.require('WAWebSocketModel').Socket;
    return { document, injected, listening, socketState: state, hasSynced: hasSynced === true };
  } catch {
    return { document, injected, listening, socketState: undefined, hasSynced: false }; // Modules are still loading.
  }
}

/** Marks a step as done in the document that it was done in; a page that has been reloaded since is not marked. */
export function mark(document: string, step: string): void {
  if (window.chatWeb?.document === document) Object.assign(window.chatWeb, { [step]: true });
}

/** Gives the library listeners that do nothing, in place of those whose events nobody here consumes. */
export function ignoreEvents(names: readonly string[]): void {
  for (const name of names) window[name] ??= () => {};
}

/**
 * Makes ids readable however this build of the page spells their serialised form, and adds to every message model
 * its ids as plain text, with phone numbers in the place of hidden ids where the page knows them.
 */
export function normaliseIds(): void {
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
  readable(window.require('WAWebMsgKey').prototype);
  for (const id of ['0@c.us', '0@g.us', '0@lid']) {
    readable(Object.getPrototypeOf(window.require('WAWebWidFactory').createWid(id)));
  }

  const { toPn } = window.require('WAWebLidMigrationUtils');
  const me = window.require('WAWebUserPrefsMeUser');
  const phoneOr = (wid: Printable | undefined) => {
    if (!wid) return undefined;
    const text = String(wid);
    return text.endsWith('@lid') ? String(toPn(wid) ?? text) : text;
  };
  const quotedId = ({ id, quotedStanzaID, quotedParticipant }: PageMessage) => {
    if (!quotedStanzaID || !quotedParticipant) return undefined;
    const author = phoneOr(quotedParticipant);
    const mine = author === phoneOr(me.getMaybeMePnUser() ?? me.getMaybeMeLidUser());
    const key = `${mine}_${id.remote}_${quotedStanzaID}`;
    return String(id.remote).endsWith('@g.us') ? `${key}_${quotedParticipant}` : key;
  };

  const getMessageModel = window.WWebJS.getMessageModel;
  window.WWebJS.getMessageModel = (message) =>
    Object.assign(getMessageModel(message), {
      chatWeb: {
        id: String(message.id),
        from: phoneOr(message.from),
        to: phoneOr(message.to),
        author: phoneOr(message.author),
        quotedMessageId: quotedId(message),
        mentionedIds: (message.mentionedJidList ?? []).map(phoneOr),
      },
    });
}

/** The linked account, with its phone number rather than its hidden id where the page knows it. */
export function readAccount(): Record<'pushname' | 'wid' | 'platform', string | undefined> {
  const { pushname, platform } = window.require('WAWebConnModel').Conn;
  const { getMaybeMePnUser, getMaybeMeLidUser } = window.require('WAWebUserPrefsMeUser');
  return { pushname, wid: (getMaybeMePnUser() ?? getMaybeMeLidUser())?.toString(), platform };
}

/** Asks for fresh QR references after the last one has expired. */
export function refreshQr(): void {
  const { Cmd } = window.require('WAWebCmd');
  if (Cmd.refreshQR) Cmd.refreshQR();
  else window.require('WAWebLaunchSocketUtils').refreshQR();
}

/**
 * Acknowledges what the page wants a person to acknowledge. A newly linked device that leaves the dialogue "What's
 * new" unanswered is unlinked after about five minutes. Labels change with language and build; a dialogue with one
 * button leaves no choice, so that it is safe to press.
 */
export function acknowledgeDialogues(intervalMs: number): void {
  setInterval(() => {
    for (const dialogue of window.document.querySelectorAll('[role="dialog"]')) {
      const buttons = dialogue.querySelectorAll('button, [role="button"]');
      if (buttons.length === 1) buttons[0]?.click();
    }
  }, intervalMs);
}

/** Unlinks this device from the phone. */
export async function unlink(): Promise<void> {
  await window.require('WAWebSocketModel').Socket.logout();
}

/** Whether a message can be sent as asked, found out before anything is sent. Throws for an unregistered number. */
export async function checkSend(
  chatId: string,
  quotedMessageId: string | undefined,
): Promise<'ok' | 'no_chat' | 'no_quoted_message' | 'not_quotable'> {
  const chat = await window.WWebJS.getChat(chatId, { getAsModel: false });
  if (!chat) return 'no_chat';
  if (!quotedMessageId) return 'ok';
  const { Msg } = window.require('WAWebCollections');
  const quoted = Msg.get(quotedMessageId) ?? (await Msg.getMessagesById([quotedMessageId]))?.messages?.[0];
  if (!quoted) return 'no_quoted_message';
  return window.require('WAWebMsgReply').canReplyMsg(quoted.unsafe()) ? 'ok' : 'not_quotable';
}

/** Waits until the network has taken (or refused) a message that is being sent: its ack then, or 0 when time is up. */
export async function waitForAck(id: string, timeoutMs: number): Promise<number> {
  const { Msg } = window.require('WAWebCollections');
  const sent = Msg.get(id);
  if (sent?.ack !== 0) return sent?.ack ?? 0;
  return await new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      Msg.off('change:ack', onAck);
      resolve(sent.ack);
    };
    const onAck = (message: PageMessage) => {
      if (message === sent && sent.ack !== 0) done();
    };
    const timer = setTimeout(done, timeoutMs);
    Msg.on('change:ack', onAck);
  });
}
