/** The network has refused; the library tells this error from others by its name. */
export class ServerStatusCodeError extends Error {
  readonly status: number;
  readonly statusCode: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = 'ServerStatusCodeError';
    this.status = status;
    this.statusCode = status;
  }
}
