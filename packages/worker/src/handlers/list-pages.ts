import { GatewayError } from '@chat-web/protocol';
import type { CallTime } from '../call-time.ts';

interface PageInput {
  readonly limit?: number | undefined;
  readonly after?: string | undefined;
  readonly search?: string | undefined;
}

/** Fields that a search looks at. */
const NAMES = ['id', 'lid', 'name', 'subject', 'pushname', 'username', 'number'] as const;

interface Kept<R> {
  readonly rows: readonly R[];
  readonly timer: NodeJS.Timeout;
}

const KEPT_MS = 60_000;

/**
 * The pages of one list. Those after the first come from the same reading of the page, so that none repeats or misses a
 * row; it is dropped a minute after its last use.
 */
export class ListPages<R extends { readonly id: string }> {
  readonly #read: (time: CallTime) => Promise<R[]>;
  #kept: Kept<R> | undefined;

  constructor(read: (time: CallTime) => Promise<R[]>) {
    this.#read = read;
  }

  /** One page, or all rows. */
  async get(input: PageInput, time: CallTime): Promise<R[]> {
    const known = input.after === undefined ? undefined : this.#kept?.rows;
    const rows = known ?? (await this.#read(time));
    const found = foundIn(rows, input);
    const page = pageOf(found, input);
    this.#keep(page.at(-1) === found.at(-1) ? undefined : rows);
    return page;
  }

  #keep(rows: readonly R[] | undefined): void {
    clearTimeout(this.#kept?.timer);
    this.#kept = rows && { rows, timer: setTimeout(() => this.#keep(undefined), KEPT_MS).unref() };
  }
}

/** The rows that a search finds; without one, all. */
export function foundIn<R extends object>(rows: readonly R[], { search }: PageInput): readonly R[] {
  if (search === undefined) return rows;
  const plain = (text: string) => text.normalize('NFKC').toLowerCase();
  const wanted = plain(search.trim());
  return rows.filter((row) => {
    const fields: Partial<Record<(typeof NAMES)[number], unknown>> = row;
    return NAMES.some((name) => typeof fields[name] === 'string' && plain(fields[name]).includes(wanted));
  });
}

/** The rows after one of them, at most `limit`; without these, all rows. Throws `invalid_request` if there is no such row. */
export function pageOf<R extends { readonly id: string }>(rows: readonly R[], { limit, after }: PageInput): R[] {
  const start = after === undefined ? 0 : rows.findIndex(({ id }) => id === after) + 1;
  if (after !== undefined && start === 0) {
    const issues = [{ path: 'after', message: 'is not the id of a row: begin again without it' }];
    throw new GatewayError('invalid_request', 'after is not the id of a row of the list', { issues });
  }
  return rows.slice(start, limit === undefined ? undefined : start + limit);
}
