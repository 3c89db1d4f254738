/** A refusal of the network with its status, as a page gets it. */
export class NetworkRefusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = 'NetworkRefusal';
    this.status = status;
  }
}
