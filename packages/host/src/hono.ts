import { Hono } from 'hono';
import type { CloudWebhook } from './cloud/cloud-webhook.ts';

/**
 * The routes of the provider's webhooks as a Hono app: GET and POST `/webhooks/chat` below where it is mounted.
 *
 * @example
 * const app = new Hono();
 * app.route('/', cloudWebhookApp(webhook)); // In front of middleware that reads bodies.
 */
export function cloudWebhookApp({ handle }: CloudWebhook): Hono {
  return new Hono().all('/webhooks/chat', ({ req, env }) => handle(req.raw, env));
}
