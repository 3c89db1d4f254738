import { errorText } from '@chat-web/protocol';
import * as v from 'valibot';
import { ConfigError } from '../config-error.ts';
import { readFirstLine } from '../host/text-files.ts';
import { Lock } from '../lock.ts';
import type { Log } from '../log.ts';
import { type Caller, createRevocation, operator, revoke } from './caller.ts';
import { digestOfWritten, isHash, sameDigest, writtenToken } from './token.ts';

/** Where the token is configured, and how long the previous one stays valid after its file changes. */
export interface TokenSource {
  readonly token: string | undefined;
  readonly tokenFile: string | undefined;
  readonly tokenGraceMs: number;
}

interface Credential {
  readonly digest: Buffer;
  readonly caller: Caller;
  readonly revocation: AbortController;
}

const MAX_FILE_BYTES = 4_096;

/**
 * The operator's token. If it comes from a file, it can be rotated: the previous one stays valid for a grace period.
 */
export class OperatorToken {
  readonly #source: TokenSource;
  readonly #log: Log;
  readonly #lock = new Lock();
  /** Previous tokens in their grace period, with their expiry timers. */
  readonly #former = new Map<Credential, NodeJS.Timeout>();
  #current: Credential;

  private constructor(source: TokenSource, log: Log, written: string) {
    this.#source = source;
    this.#log = log;
    this.#current = credentialOf(digestOfWritten(written));
    this.#warnIfInClear(written);
  }

  /** The configured token; undefined if none is set. Rejects with a ConfigError if its file is unusable. */
  static async load(source: TokenSource, log: Log): Promise<OperatorToken | undefined> {
    const { token, tokenFile } = source;
    if (tokenFile === undefined) return token === undefined ? undefined : new OperatorToken(source, log, token);
    try {
      return new OperatorToken(source, log, await readTokenFile(tokenFile));
    } catch (error) {
      throw new ConfigError([`CHAT_WEB_TOKEN_FILE ${errorText(error)}`]);
    }
  }

  find(digest: Buffer): Caller | undefined {
    // Compares all of them, so that timing reveals nothing.
    let found = sameDigest(this.#current.digest, digest) ? this.#current : undefined;
    for (const former of this.#former.keys()) if (sameDigest(former.digest, digest)) found ??= former;
    return found?.caller;
  }

  /** Reloads the file. If it is unusable, logs an error and keeps the token. Never rejects. */
  reload(): Promise<void> {
    return this.#lock.run(async () => {
      const { tokenFile } = this.#source;
      if (tokenFile === undefined) return;
      try {
        const written = await readTokenFile(tokenFile);
        this.#rotateTo(digestOfWritten(written));
        this.#warnIfInClear(written);
      } catch (error) {
        this.#log.error({ error: `CHAT_WEB_TOKEN_FILE ${errorText(error)}` }, 'token not changed');
      }
    });
  }

  #rotateTo(digest: Buffer): void {
    if (sameDigest(digest, this.#current.digest)) {
      this.#log.info('token unchanged');
      return;
    }
    const former = this.#current;
    // A token that is restored within its grace period keeps its streams.
    this.#current = this.#restore(digest) ?? credentialOf(digest);
    const { tokenGraceMs } = this.#source;
    if (tokenGraceMs === 0) revoke(former.revocation);
    else this.#former.set(former, setTimeout(() => this.#expire(former), tokenGraceMs).unref());
    this.#log.info({ graceSeconds: tokenGraceMs / 1_000 }, 'token rotated');
  }

  #restore(digest: Buffer): Credential | undefined {
    for (const [former, timer] of this.#former) {
      if (!sameDigest(former.digest, digest)) continue;
      clearTimeout(timer);
      this.#former.delete(former);
      return former;
    }
    return undefined;
  }

  #expire(former: Credential): void {
    this.#former.delete(former);
    revoke(former.revocation);
    this.#log.info('former token expired');
  }

  #warnIfInClear(written: string): void {
    if (isHash(written)) return;
    const { tokenFile } = this.#source;
    const [place, reader] = tokenFile
      ? [tokenFile, 'everyone who can read the file']
      : ['CHAT_WEB_TOKEN', 'every process of this user'];
    const hint = `${reader} can use it: store sha256:<hex> of the token instead (chat-web token prints both)`;
    this.#log.warn({ place, hint }, 'token stored in clear');
  }
}

function credentialOf(digest: Buffer): Credential {
  const revocation = createRevocation();
  return { digest, revocation, caller: operator('token', revocation.signal) };
}

/** The validated first line of the file. Rejects with the problem, never with the content. */
async function readTokenFile(path: string): Promise<string> {
  const line = await readFirstLine(path, MAX_FILE_BYTES);
  if (line === '') throw new Error(`names a file whose first line is empty: ${path}`);
  const parsed = v.safeParse(writtenToken, line);
  if (!parsed.success)
    throw new Error(`names a file whose first line is not a token, it ${parsed.issues[0].message}: ${path}`);
  return parsed.output;
}
