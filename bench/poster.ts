import { Agent, type IncomingMessage, request } from 'node:http';
import { BEN } from '@chat-web/testing';

/** Sends requests to a gateway. As light as possible: the client shares the machine with the measured processes. */
export class Poster {
  readonly #agent: Agent;
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;

  constructor({ url, token }: { readonly url: string; readonly token?: string | undefined }) {
    this.#url = url;
    this.#agent = new Agent({ keepAlive: true });
    this.#headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  }

  /** Sends a text to `BEN`. Rejects unless the answer is 200. */
  async send(id: string, body: string): Promise<void> {
    await this.post(`/sessions/${id}/messages`, JSON.stringify({ type: 'text', to: BEN, body }));
  }

  /** Sends a text. Returns the duration in ms. */
  async timed(id: string, body: string): Promise<number> {
    const startedAt = performance.now();
    await this.send(id, body);
    return performance.now() - startedAt;
  }

  post(path: string, json: string | Buffer): Promise<number> {
    return this.#ask('POST', path, json);
  }

  get(path: string): Promise<number> {
    return this.#ask('GET', path);
  }

  /** Resolves with the length of the answer once it is read. Rejects unless it is 200. */
  #ask(method: string, path: string, json?: string | Buffer): Promise<number> {
    const type = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(json ?? '') };
    const headers = { ...this.#headers, ...(json === undefined ? {} : type) };
    return new Promise((resolve, reject) => {
      const onAnswer = (response: IncomingMessage) => {
        let length = 0;
        response.on('data', (chunk: Buffer) => {
          length += chunk.length;
        });
        response.once('error', reject).once('end', () => {
          if (response.statusCode === 200) resolve(length);
          else reject(new Error(`${method} ${path} was answered ${response.statusCode}`));
        });
      };
      request(`${this.#url}${path}`, { method, agent: this.#agent, headers }, onAnswer).once('error', reject).end(json);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
