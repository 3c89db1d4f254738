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

/** The refusal of a question that went the newer way, which has a name of its own. */
class MexServerStatusCodeError extends ServerStatusCodeError {
  constructor(status: number, message: string) {
    super(status, message);
    if (!switches.minifiedErrors) this.name = 'MexServerStatusCodeError';
  }
}

/** The refusal of a question for a group; those have gone the newer way for as long as members have been lazy. */
export function createMexError(status: number, message: string): ServerStatusCodeError {
  const Refusal = switches.lazyParticipants ? MexServerStatusCodeError : ServerStatusCodeError;
  return new Refusal(status, message);
}

/** The page itself refuses, without a word. */
export class ActionError extends Error {
  constructor() {
    super('');
    this.name = 'ActionError';
  }
}
