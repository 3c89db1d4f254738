/** The refusals that the page knows, by status. */
const refusals: Readonly<Record<number, readonly [name: string, text: string]>> = {
  400: ['IQErrorBadRequest', 'bad-request'],
  403: ['IQErrorForbidden', 'forbidden'],
  429: ['IQErrorRateOverlimit', 'rate-overlimit'],
  452: ['IQErrorFeatureNotAvailable', 'feature-not-available'],
  500: ['IQErrorInternalServerError', 'internal-server-error'],
};

/** The network refuses a pairing code. */
export interface CompanionHelloError {
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
