import { type ErrorCode, errorTable, errorText, GatewayError } from '@chat-web/protocol';
import * as v from 'valibot';
import type { ArrivingArchive, Peer } from './cluster.ts';
import { HOP_HEADER } from './hop.ts';

/** Where another gateway requests the archive of a session that is moved to it. */
export const ARCHIVE_PATH = '/cluster/sessions/:id/archive';

/** For the other gateway: to stop the session and pack its archive, and between two pieces of it. */
const LIMITS = { beginsMs: 90_000, silentMs: 30_000 };

/** A response with an error. */
const refused = v.object({ error: v.string(), code: v.picklist(Object.keys(errorTable) as ErrorCode[]) });

/**
 * Requests the archive of a session that is moved to this host. `sign`: the value of the header for a request. Rejects
 * with the error of the other gateway, or `host_unreachable`.
 */
export async function requestArchive(
  { name, address }: Peer,
  session: string,
  { sign, signal }: { sign(request: string): string; readonly signal: AbortSignal },
  { beginsMs, silentMs } = LIMITS,
): Promise<ArrivingArchive> {
  if (address === undefined) throw new GatewayError('host_unreachable', `host ${name} has never started`);
  const path = ARCHIVE_PATH.replace(':id', session);
  const silence = new Silence();
  silence.begin(beginsMs);
  const answer = await fetch(new URL(path, address), {
    method: 'POST',
    headers: { [HOP_HEADER]: sign(`POST ${path}`) },
    signal: AbortSignal.any([signal, silence.signal]),
    redirect: 'error',
  }).catch((error: unknown) => {
    throw new GatewayError('host_unreachable', `host ${name} does not answer (${errorText(error)})`);
  });
  silence.begin(silentMs);
  if (answer.ok && answer.body)
    return { bytes: silence.watch(answer.body, silentMs), contentDigest: answer.headers.get('Content-Digest') };
  const refusal = v.safeParse(refused, await answer.json().catch(() => undefined));
  silence.end();
  if (!refusal.success) throw new GatewayError('host_unreachable', `host ${name} has answered with ${answer.status}`);
  throw new GatewayError(refusal.output.code, `host ${name} refuses: ${refusal.output.error}`);
}

/** Aborts if the other side sends nothing for some time. */
class Silence {
  readonly #controller = new AbortController();
  #timer: NodeJS.Timeout | undefined;

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  begin(timeoutMs: number): void {
    this.end();
    this.#timer = setTimeout(() => this.#controller.abort(new Error('nothing was sent for too long')), timeoutMs);
    this.#timer.unref();
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  /** The time that the reader needs does not count. */
  async *watch(bytes: AsyncIterable<Uint8Array>, timeoutMs: number): AsyncGenerator<Uint8Array> {
    try {
      for await (const piece of bytes) {
        this.end();
        yield piece;
        this.begin(timeoutMs);
      }
    } finally {
      this.end();
    }
  }
}
