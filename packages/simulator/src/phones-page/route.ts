import { useEffect, useState } from 'preact/hooks';

/** What is open: a phone, and on it a chat or its linked devices. */
export interface Route {
  readonly number?: string;
  readonly chat?: string;
  readonly devices?: true;
}

/** The link to a route; it is kept in the fragment, so that the browser's back button works. */
export function linkTo({ number, chat, devices }: Route): string {
  if (number === undefined) return '#/';
  const phone = `#/${encodeURIComponent(number)}`;
  if (chat !== undefined) return `${phone}/chats/${encodeURIComponent(chat)}`;
  return devices ? `${phone}/devices` : phone;
}

/** The route of a fragment; nothing is open if it is not one. */
function readRoute(fragment: string): Route {
  try {
    const [, number, what, chat] = fragment.split('/').map(decodeURIComponent);
    if (!number) return {};
    if (what === 'chats' && chat) return { number, chat };
    return what === 'devices' ? { number, devices: true } : { number };
  } catch {
    return {};
  }
}

/** The route in the address bar. */
export function useRoute(): Route {
  const [fragment, setFragment] = useState(location.hash);
  useEffect(() => {
    const look = () => setFragment(location.hash);
    addEventListener('hashchange', look);
    return () => removeEventListener('hashchange', look);
  }, []);
  return readRoute(fragment);
}
