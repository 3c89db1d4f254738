/** Until when a chat is silent: Unix seconds, -1 for ever, 0 for not at all. */
export class Mute {
  expiration = 0;
  readonly #changed: (expiration: number) => void;

  constructor(changed: (expiration: number) => void) {
    this.#changed = changed;
  }

  async mute({ expiration }: { expiration: number }): Promise<void> {
    this.expiration = expiration;
    this.#changed(expiration);
  }

  async unmute(): Promise<void> {
    await this.mute({ expiration: 0 });
  }
}
