/** Session storage: only the tab has the token, and forgets it when it is closed. */
const STORED_TOKEN = 'chat-web.token';

/** The token or key that this tab is signed in with, in the console or in the reference. */
export const storedToken = {
  get: (): string | undefined => sessionStorage.getItem(STORED_TOKEN) ?? undefined,
  set: (token: string): void => sessionStorage.setItem(STORED_TOKEN, token),
  forget: (): void => sessionStorage.removeItem(STORED_TOKEN),
};
