/** Session storage: only the tab has the token, and forgets it when it is closed. */
const KEPT_TOKEN = 'chat-web.token';

/** The token or key that this tab is signed in with, in the console or in the reference. */
export const keptToken = {
  get: (): string | undefined => sessionStorage.getItem(KEPT_TOKEN) ?? undefined,
  set: (token: string): void => sessionStorage.setItem(KEPT_TOKEN, token),
  forget: (): void => sessionStorage.removeItem(KEPT_TOKEN),
};
