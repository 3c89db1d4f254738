import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import type { GatewayAddress } from '@chat-web/host';
import { gatewayAddress } from '@chat-web/host/node';
import { UsageError } from './command-line.ts';

/** The address of a gateway, and how messages name it. */
export interface End {
  readonly url: string;
  readonly address: GatewayAddress;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The gateway that a flag names. `tokenName`: the variable with its token; with the suffix `_FILE`, the path of a file.
 * Throws a UsageError.
 */
export function endOf(flag: string, written: string, tokenName: string, env: Environment): End {
  const url = written.replace(/\/+$/, '');
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.username || parsed?.password)
    throw new UsageError(`--${flag} must not contain a user name or a password: use ${tokenName}`);
  const isSafe =
    parsed?.protocol === 'https:' ||
    parsed?.protocol === 'unix:' ||
    (parsed?.protocol === 'http:' && isLoopback(parsed.hostname));
  if (!isSafe)
    throw new UsageError(
      `--${flag} must be https://…, http:// on this machine, or unix:/path: what is moved opens the account`,
    );
  return { url, address: gatewayAddress({ url, token: tokenOf(tokenName, env) }) };
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || (isIP(host) === 4 && host.startsWith('127.'));
}

function tokenOf(name: string, env: Environment): string | undefined {
  const path = env[`${name}_FILE`];
  if (path === undefined || path === '') return env[name]?.trim() || undefined;
  try {
    const [line = ''] = readFileSync(path, 'utf8').split('\n', 1);
    if (line.trim() !== '') return line.trim();
  } catch {
    // Reported below.
  }
  throw new UsageError(`${name}_FILE names no file with a token`);
}
