import { switches } from './switches.ts';

/** A refusal of the network. The library recognises it by its name, which some builds minify. */
export class ServerStatusCodeError extends Error {
  readonly status: number;
  readonly statusCode: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = switches.minifiedErrors ? 'e' : 'ServerStatusCodeError';
    this.status = status;
    this.statusCode = status;
  }
}

/** The status of a refusal of the network; undefined for any other error. */
export function refusalStatus(error: unknown): number | undefined {
  return error instanceof ServerStatusCodeError ? error.status : undefined;
}

/** The refusal of a request of the newer kind, which has its own name. */
class MexServerStatusCodeError extends ServerStatusCodeError {
  constructor(status: number, message: string) {
    super(status, message);
    if (!switches.minifiedErrors) this.name = 'MexServerStatusCodeError';
  }
}

/** The refusal of a request for a group; these are of the newer kind in builds with lazy members. */
export function createMexError(status: number, message: string): ServerStatusCodeError {
  const Refusal = switches.lazyParticipants ? MexServerStatusCodeError : ServerStatusCodeError;
  return new Refusal(status, message);
}

/** A refusal by the page itself, without a message. */
export class ActionError extends Error {
  constructor() {
    super('');
    this.name = 'ActionError';
  }
}

/** The refusals that the page knows, by status. */
const refusals: Readonly<Record<number, readonly [name: string, text: string]>> = {
  400: ['IQErrorBadRequest', 'bad-request'],
  403: ['IQErrorForbidden', 'forbidden'],
  429: ['IQErrorRateOverlimit', 'rate-overlimit'],
  452: ['IQErrorFeatureNotAvailable', 'feature-not-available'],
  500: ['IQErrorInternalServerError', 'internal-server-error'],
};

/** The network refuses a pairing code. */
interface CompanionHelloError {
  readonly name: 'CompanionHelloError';
  /** Absent if the page does not know the refusal. */
  readonly type?: { readonly name: string; readonly value: { readonly text: string; readonly code: number } };
}

/**
 * As in the real page, an `instanceof Error` that is not a native one: it has neither message nor stack, and the
 * browser shows the minified name of its class.
 */
class t implements CompanionHelloError {
  readonly name = 'CompanionHelloError';
  declare readonly type?: NonNullable<CompanionHelloError['type']>;

  constructor(status: number) {
    const [name, text] = refusals[status] ?? [];
    if (name !== undefined && text !== undefined) this.type = { name, value: { text, code: status } };
  }
}
Object.setPrototypeOf(t.prototype, Error.prototype);

/** The page's error for a refusal with that status. */
export function createCompanionHelloError(status: number): CompanionHelloError {
  return new t(status);
}
