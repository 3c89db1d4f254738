import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { getOrAdd } from '@chat-web/protocol';
import { listening } from '../listening.ts';

/** The endpoint of a webhook that gets messages. */
export class WebhookEndpoint implements AsyncDisposable {
  readonly url: string;
  /** Of a gateway that delivers to it. */
  readonly settings: Readonly<Record<string, string>>;
  /** The texts that it got, by session, each with the ids under which it came. */
  readonly #received = new Map<string, Map<string, Set<string>>>();
  readonly #server: Server;
  /** How many deliveries it got. */
  count = 0;

  private constructor(server: Server) {
    const { address, port } = server.address() as AddressInfo;
    this.#server = server;
    this.url = `http://${address}:${port}`;
    this.settings = { CHAT_WEB_WEBHOOK_HOSTS: `${address}:${port}` };
    server.on('request', async (request, response) => {
      const body = await textOf(request).catch(() => '');
      if (body !== '') this.#take(String(request.headers['webhook-id']), JSON.parse(body));
      response.writeHead(204).end();
    });
  }

  static async start(host = '127.0.0.1'): Promise<WebhookEndpoint> {
    const server = createServer();
    await listening(server, 0, host);
    return new WebhookEndpoint(server);
  }

  #take(id: string, { session, data }: { readonly session: string; readonly data: { readonly body: string } }): void {
    const texts = getOrAdd(this.#received, session, () => new Map<string, Set<string>>());
    getOrAdd(texts, data.body, () => new Set<string>()).add(id);
    this.count += 1;
  }

  /** The texts of a session, each once, in the order in which they first came. */
  textsOf(session: string): string[] {
    return [...(this.#received.get(session)?.keys() ?? [])];
  }

  /** Those that came under several ids. */
  duplicatesOf(session: string): string[] {
    return [...(this.#received.get(session) ?? [])].filter(([, ids]) => ids.size > 1).map(([text]) => text);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
