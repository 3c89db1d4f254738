/** A request to show as a command. */
export interface ShownRequest {
  readonly method: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Further arguments, already quoted. */
  readonly more?: readonly string[];
}

/** A text as one word of a POSIX shell, without any expansion. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The command for a request, one argument in a line. With the token as `$TOKEN`, unless the gateway asks for none. */
export function curlText({ method, url, headers = {}, more = [] }: ShownRequest, hasToken: boolean): string {
  const lines = [
    `curl${method === 'GET' ? '' : ` -X ${method}`} ${quoted(url)}`,
    ...(hasToken ? ['-H "Authorization: Bearer $TOKEN"'] : []),
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...more,
  ];
  return lines.join(' \\\n  ');
}
