import { type BasicAuth, type ChangedWebhook, invalidRequest } from '@chat-web/protocol';

/** What an endpoint asks for beside the signature. */
export interface Credentials {
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly basicAuth?: BasicAuth | undefined;
}

/**
 * The credentials of a webhook after a change. What is not given stays: no answer shows it, so a caller cannot send it
 * again. But it stays with the origin that it was given for: a url of another one needs it again, or without it. To drop
 * it silently would delay events until somebody notices that the endpoint refuses them.
 */
export function credentialsAfter(
  stored: (Credentials & { readonly url: string }) | undefined,
  { url, headers, basicAuth }: Pick<ChangedWebhook, 'url' | 'headers' | 'basicAuth'>,
): Credentials {
  if (stored && new URL(stored.url).origin !== new URL(url).origin) {
    const again = 'must be given again, since the url has another origin';
    if (stored.headers && headers === undefined)
      throw invalidRequest([{ path: 'headers', message: `${again}; {} sends none` }]);
    if (stored.basicAuth && basicAuth === undefined)
      throw invalidRequest([{ path: 'basicAuth', message: `${again}; null sends none` }]);
  }
  const [own, basic] = [headers ?? stored?.headers, basicAuth === undefined ? stored?.basicAuth : basicAuth];
  if (basic && namesOf(own).some((name) => name.toLowerCase() === 'authorization'))
    throw invalidRequest([{ path: 'headers', message: 'must not have authorization beside basicAuth' }]);
  return {
    ...(namesOf(own).length > 0 ? { headers: own } : {}),
    ...(basic ? { basicAuth: basic } : {}),
  };
}

/** The headers of a request. */
export function headersOf({ headers, basicAuth }: Credentials): Record<string, string> {
  const basic = basicAuth && Buffer.from(`${basicAuth.username}:${basicAuth.password}`).toString('base64');
  return { ...headers, ...(basic === undefined ? {} : { Authorization: `Basic ${basic}` }) };
}

function namesOf(headers: Credentials['headers']): string[] {
  return Object.keys(headers ?? {});
}
