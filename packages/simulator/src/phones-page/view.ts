import type { ListedChat, ListedPhone, Page, PhoneMessage } from '../api.ts';
import type { Account } from '../network/account.ts';
import { getAccount, listChats, listMessages, listPages, listPhones, Refusal } from './api.ts';
import type { Route } from './route.ts';

/** What the page shows: one snapshot of the simulator. */
export interface View {
  /** What was open at that time. */
  readonly route: Route;
  readonly phones: readonly ListedPhone[];
  /** Pages that can be linked. */
  readonly waiting: readonly WaitingPage[];
  /** The phone that is open, or why there is none. */
  readonly phone?: OpenPhone | { readonly problem: string } | undefined;
}

/** A page that is not linked: it shows a QR or a code, or waits for a passkey. */
export type WaitingPage = Omit<Page, 'qrAgeMs'>;

export interface OpenPhone {
  readonly account: Account;
  readonly chats: readonly ListedChat[];
  /** Of the chat that is open, or why there are none. */
  readonly messages?: readonly PhoneMessage[] | { readonly problem: string } | undefined;
}

/** Loads what a route needs. Rejects if the simulator does not answer. */
export async function loadView(route: Route, search: string, limit: number): Promise<View> {
  const [phones, pages, phone] = await Promise.all([
    listPhones(search),
    listPages(),
    route.number === undefined ? undefined : orProblem(loadPhone(route.number, route.chat, limit)),
  ]);
  const waiting = pages.filter(({ qr, codeFor, passkeyFor }) => qr ?? codeFor ?? passkeyFor);
  return { route, phones, waiting, phone };
}

async function loadPhone(number: string, chat: string | undefined, limit: number): Promise<OpenPhone> {
  const [account, chats, messages] = await Promise.all([
    getAccount(number),
    listChats(number),
    chat === undefined ? undefined : orProblem(listMessages(number, chat, limit)),
  ]);
  return { account, chats, messages };
}

async function orProblem<T>(answer: Promise<T>): Promise<T | { readonly problem: string }> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof Refusal) return { problem: error.message };
    throw error;
  }
}
