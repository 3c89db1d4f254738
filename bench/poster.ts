import { Agent, request } from 'node:http';
import { BEN } from '@chat-web/testing';

/** Sends texts through a gateway. As light as possible: the client shares the machine with the measured processes. */
export class Poster {
  readonly #agent: Agent;
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
    this.#agent = new Agent({ keepAlive: true });
  }

  /** Sends a text to `BEN`. Rejects unless the answer is 200. */
  send(id: string, body: string): Promise<void> {
    const text = JSON.stringify({ type: 'text', to: BEN, body });
    const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) };
    return new Promise((resolve, reject) => {
      const options = { method: 'POST', agent: this.#agent, headers };
      const outgoing = request(`${this.#url}/sessions/${id}/messages`, options, (response) => {
        response.resume();
        response.once('end', () => {
          if (response.statusCode === 200) resolve();
          else reject(new Error(`a send was answered ${response.statusCode}`));
        });
      });
      outgoing.once('error', reject);
      outgoing.end(text);
    });
  }

  /** Sends a text. Returns the duration in ms. */
  async timed(id: string, body: string): Promise<number> {
    const startedAt = performance.now();
    await this.send(id, body);
    return performance.now() - startedAt;
  }

  close(): void {
    this.#agent.destroy();
  }
}
