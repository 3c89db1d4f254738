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
