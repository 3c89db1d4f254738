import { X509Certificate } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { errorText } from '@chat-web/protocol';
import type { CertificateFiles } from '../../config.ts';
import { ConfigError } from '../../config-error.ts';
import { errnoOf } from '../../host/errno.ts';

/** O_NONBLOCK: opening a pipe would otherwise block the gateway until it has a writer. */
const FILE_FLAGS = constants.O_RDONLY | constants.O_NONBLOCK;

export interface Certificate {
  readonly cert: Buffer;
  readonly key: Buffer;
  readonly validTo: Date;
}

/** Reads certificate and key together. Throws a ConfigError if they are missing or unusable. */
export function readCertificate({ certFile, keyFile }: CertificateFiles): Certificate {
  const cert = readPem('CHAT_WEB_TLS_CERT', certFile);
  const key = readPem('CHAT_WEB_TLS_KEY', keyFile);
  try {
    createSecureContext({ cert, key });
    return { cert, key, validTo: new Date(new X509Certificate(cert).validTo) };
  } catch (error) {
    throw new ConfigError([
      `CHAT_WEB_TLS_CERT and CHAT_WEB_TLS_KEY must be a certificate and its key without a passphrase, as PEM (${errorText(error)})`,
    ]);
  }
}

function readPem(setting: string, file: string): Buffer {
  try {
    const handle = openSync(file, FILE_FLAGS);
    try {
      if (fstatSync(handle).isFile()) return readFileSync(handle);
    } finally {
      closeSync(handle);
    }
  } catch (error) {
    throw new ConfigError([`${setting} cannot be read (${errnoOf(error)})`]);
  }
  throw new ConfigError([`${setting} cannot be read (not a regular file)`]);
}
