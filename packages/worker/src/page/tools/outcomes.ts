import type { PageMessage, PageSendResult, PageWindow, Posted, Refused, SendOutcome } from '../window.ts';

declare const window: PageWindow;

/** What tells how a call of the page has ended. */
export interface OutcomeTools {
  /** The status of an error by which the network says no; undefined for an error of the page. */
  refusal(error: unknown): number | undefined;
  /** The same as an answer; throws what is an error of the page. */
  refusedBy(error: unknown): Refused;
  /** What the page's own result of a send says of it. */
  readOutcome(result: unknown): SendOutcome;
  /** What the page itself says of a send under way; undefined for one that it has not been told of here. */
  outcomeOf(messageId: string): Promise<SendOutcome> | undefined;
  /** What became of a post, by the page's own result; `findMessage` where that does not have the message. */
  posted(
    result: PageSendResult | undefined,
    findMessage: () => Promise<PageMessage | undefined> | PageMessage | undefined,
  ): Promise<Posted>;
}

/** Leaves in the page what tells how a send has ended, and whether an error is a refusal. Comes after the tools for messages. */
export function installOutcomeTools(): void {
  const { optional, sentModel } = window.chatWebTools;

  // Sends: the page answers each with a promise of its own, which the library does not hand on.
  const outcomes = new Map<string, Promise<SendOutcome>>();
  // The other names leave open whether the network has it: an answer that was lost may have been a yes.
  const refusals = new Set(['ERROR_UPLOAD', 'ERROR_CANCELLED', 'ERROR_RATE_LIMIT']);
  const readOutcome: OutcomeTools['readOutcome'] = (result) => {
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

  const refusal = (error: unknown) => {
    const { status, statusCode, name } = (error ?? {}) as Record<string, unknown>;
    const code = Number(status ?? statusCode);
    if (Number.isFinite(code) && code > 0) return code;
    return name === 'ServerStatusCodeError' ? 400 : undefined;
  };

  const tools: OutcomeTools = {
    ...{ readOutcome, refusal },
    outcomeOf: (id) => outcomes.get(id),
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
  };
  window.chatWebTools = { ...window.chatWebTools, ...tools };
}
