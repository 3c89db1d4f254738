import { errorText } from '@chat-web/protocol';
import * as v from 'valibot';
import { ConfigError } from '../config.ts';
import { readNamedText } from '../host/text-files.ts';
import { Lock } from '../lock.ts';
import type { Log } from '../log.ts';
import { type Caller, callerEnd, operator } from './caller.ts';
import { digestOfWritten, isHash, sameDigest, writtenToken } from './token.ts';

/** Where the token is written, and how long a former one holds after its file has changed. */
export interface TokenSource {
  readonly token: string | undefined;
  readonly tokenFile: string | undefined;
  readonly tokenGraceMs: number;
}

interface Credential {
  readonly digest: Buffer;
  readonly caller: Caller;
  readonly end: AbortController;
}

/** A longer file is not one of ours. */
const MOST_FILE_BYTES = 4_096;

/** The operator's token. Where it comes from a file, it can be rotated: the former one holds for a while then. */
export class OperatorToken {
  readonly #source: TokenSource;
  readonly #log: Log;
  readonly #lock = new Lock();
  /** Former ones that still hold, with what will end them. */
  readonly #former = new Map<Credential, NodeJS.Timeout>();
  #current: Credential;

  private constructor(source: TokenSource, log: Log, written: string) {
    this.#source = source;
    this.#log = log;
    this.#current = credentialOf(digestOfWritten(written));
    this.#warnIfInClear(written);
  }

  /** The token that the settings name; undefined where they name none. Rejects with a ConfigError where its file is unusable. */
  static async load(source: TokenSource, log: Log): Promise<OperatorToken | undefined> {
    const { token, tokenFile } = source;
    if (tokenFile === undefined) return token === undefined ? undefined : new OperatorToken(source, log, token);
    try {
      return new OperatorToken(source, log, await readTokenFile(tokenFile));
    } catch (error) {
      throw new ConfigError([`CHAT_WEB_TOKEN_FILE ${errorText(error)}`]);
    }
  }

  /** The operator, if the digest is that of a token that holds. */
  find(digest: Buffer): Caller | undefined {
    const holding = [this.#current, ...this.#former.keys()];
    // All are compared, so that the time it takes tells nothing.
    return holding.filter((credential) => sameDigest(credential.digest, digest)).at(0)?.caller;
  }

  /** Reads the file again. What cannot be used is a line in the log and changes nothing. Never rejects. */
  reload(): Promise<void> {
    return this.#lock.run(async () => {
      const { tokenFile } = this.#source;
      if (tokenFile === undefined) return;
      try {
        const written = await readTokenFile(tokenFile);
        this.#become(digestOfWritten(written));
        this.#warnIfInClear(written);
      } catch (error) {
        this.#log.error({ error: `CHAT_WEB_TOKEN_FILE ${errorText(error)}` }, 'token not changed');
      }
    });
  }

  #become(digest: Buffer): void {
    if (sameDigest(digest, this.#current.digest)) {
      this.#log.info('token unchanged');
      return;
    }
    const former = this.#current;
    // One that is taken back before its time is up goes on, and so do its streams.
    this.#current = this.#takeBack(digest) ?? credentialOf(digest);
    const { tokenGraceMs } = this.#source;
    if (tokenGraceMs === 0) former.end.abort();
    else this.#former.set(former, setTimeout(() => this.#expire(former), tokenGraceMs).unref());
    this.#log.info({ graceSeconds: tokenGraceMs / 1_000 }, 'token rotated');
  }

  #takeBack(digest: Buffer): Credential | undefined {
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
    former.end.abort();
    this.#log.info('former token expired');
  }

  #warnIfInClear(written: string): void {
    if (isHash(written)) return;
    const { tokenFile } = this.#source;
    const [place, reader] = tokenFile
      ? [tokenFile, 'everyone who can read the file']
      : ['CHAT_WEB_TOKEN', 'every process of this user'];
    const hint = `${reader} can use it: store sha256:<hex> of the token instead (npm run token makes both)`;
    this.#log.warn({ place, hint }, 'token stored in clear');
  }
}

function credentialOf(digest: Buffer): Credential {
  const end = callerEnd();
  return { digest, end, caller: operator('token', end.signal) };
}

/** The first line of the file, checked. Rejects with what is wrong with it, never with what is in it. */
async function readTokenFile(path: string): Promise<string> {
  const text = await readNamedText(path, MOST_FILE_BYTES);
  const [line = ''] = text.split(/\r?\n/, 1);
  if (line.trim() === '') throw new Error(`names a file whose first line is empty: ${path}`);
  const parsed = v.safeParse(writtenToken, line.trim());
  if (!parsed.success)
    throw new Error(`names a file whose first line is no token, it ${parsed.issues[0].message}: ${path}`);
  return parsed.output;
}
