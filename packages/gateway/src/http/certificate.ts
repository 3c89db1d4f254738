import { X509Certificate } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { errorText } from '@chat-web/protocol';
import { ConfigError } from '../config.ts';

/** A pipe would hold the gateway up until somebody writes to it. */
const FILE_FLAGS = constants.O_RDONLY | constants.O_NONBLOCK;

/** Where a certificate with those that it depends on, and its key, lie: files of PEM. */
export interface CertificateFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

/** A pair that fits together. */
export interface Certificate {
  readonly cert: Buffer;
  readonly key: Buffer;
  readonly validTo: Date;
}

/** Reads a pair, both at one moment. Throws a ConfigError where there is none, or it cannot be used. */
export function readCertificate({ certFile, keyFile }: CertificateFiles): Certificate {
  const cert = read('CHAT_WEB_TLS_CERT', certFile);
  const key = read('CHAT_WEB_TLS_KEY', keyFile);
  try {
    createSecureContext({ cert, key });
    return { cert, key, validTo: new Date(new X509Certificate(cert).validTo) };
  } catch (error) {
    throw new ConfigError([
      `CHAT_WEB_TLS_CERT and CHAT_WEB_TLS_KEY must be a certificate and its key without a passphrase, as PEM (${errorText(error)})`,
    ]);
  }
}

function read(setting: string, file: string): Buffer {
  try {
    const handle = openSync(file, FILE_FLAGS);
    try {
      if (fstatSync(handle).isFile()) return readFileSync(handle);
    } finally {
      closeSync(handle);
    }
  } catch (error) {
    throw new ConfigError([`${setting} cannot be read (${(error as NodeJS.ErrnoException).code})`]);
  }
  throw new ConfigError([`${setting} cannot be read (it is no plain file)`]);
}
