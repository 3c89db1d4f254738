import * as v from 'valibot';

const MAX_URL_LENGTH = 2_048;
const MAX_CREDENTIAL_LENGTH = 500;
/** Of a name in DNS. */
const MAX_HOST_LENGTH = 253;
const MAX_NAME_LENGTH = 50;
const PORTS: Readonly<Record<string, number>> = { http: 80, https: 443, socks5: 1_080 };
const NONE = { hostname: '', username: '', password: '' };

/** A proxy as a caller names it. */
export interface SessionProxy {
  /** Scheme, host and port, without user and password. */
  readonly url: string;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
}

/** The proxy that a URL names. Throws an error with what is wrong; it repeats nothing of the URL. */
export function proxyOf(written: string): SessionProxy {
  const [, scheme = '', port] = /^(https?|socks5):\/\/[^/?#\\\s]*?(?::(\d+))?\/?$/.exec(written) ?? [];
  // Only URLs of the web have one form for each host: an address in hexadecimal is an address, too.
  const onWeb = written.replace(/^socks5:/, 'http:');
  const { hostname, username, password } = scheme && URL.canParse(onWeb) ? new URL(onWeb) : NONE;
  // Chromium reads lists of proxies and rules, whose separators a URL may have in its host.
  const isHost = hostname.length <= MAX_HOST_LENGTH && /^([a-z0-9._-]+|\[[0-9a-f:.]+\])$/.test(hostname);
  if (!isHost || Number(port) === 0)
    throw new Error('must be an http, https or socks5 URL with a host and a port, and no path or query');
  const [user, secret] = [decoded(username), decoded(password)];
  const proxy = { url: `${scheme}://${hostname}:${Number(port ?? PORTS[scheme])}` };
  if (!user && !secret) return proxy;
  if (scheme === 'socks5')
    throw new Error(
      'must have no user and password with socks5: Chromium has none for it. Use http or https, or a proxy that accepts this host',
    );
  const isLong = Math.max(user.length, secret.length) > MAX_CREDENTIAL_LENGTH;
  if (isLong || user.includes(':') || /\p{Cc}/u.test(user + secret))
    throw new Error(
      `must have a user and a password of at most ${MAX_CREDENTIAL_LENGTH} characters, without control characters, and no colon in the user`,
    );
  return { ...proxy, username: user, password: secret };
}

/** Whether it has a user or a password. */
export function hasCredentials({ username, password }: Omit<SessionProxy, 'url'>): boolean {
  return Boolean(username || password);
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new Error('must have its user and password percent-encoded');
  }
}

/** The URL of a proxy, with user and password if it asks for them. No message repeats any of it. */
export const proxyUrl = v.pipe(
  v.string(),
  v.maxLength(MAX_URL_LENGTH, `must be at most ${MAX_URL_LENGTH} characters`),
  v.rawCheck(({ dataset, addIssue }) => {
    try {
      if (dataset.typed) proxyOf(dataset.value);
    } catch (error) {
      addIssue({ message: (error as Error).message });
    }
  }),
);

/** What a phone shows of a session in its list of linked devices. */
export const deviceName = v.pipe(
  v.string(),
  v.check(
    (name) => name.trim() === name && name !== '' && name.length <= MAX_NAME_LENGTH && !/\p{Cc}/u.test(name),
    `must be 1 to ${MAX_NAME_LENGTH} characters, without control characters and without blanks at either end`,
  ),
);
