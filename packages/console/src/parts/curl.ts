/** A request as a command shows it. */
export interface ShownRequest {
  readonly method: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Further arguments, as they are to be written. */
  readonly more?: readonly string[];
}

/** A text as one word of a POSIX shell, which reads nothing else into it. */
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
