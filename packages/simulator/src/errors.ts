/** A refusal with its HTTP status on the control API. */
export class SimulatorError extends Error {
  readonly status: 400 | 403 | 404 | 406 | 409 | 410;

  constructor(status: 400 | 403 | 404 | 406 | 409 | 410, message: string) {
    super(message);
    this.name = 'SimulatorError';
    this.status = status;
  }
}

export class NetworkRefusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = 'NetworkRefusal';
    this.status = status;
  }
}
