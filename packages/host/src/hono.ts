export { cloudWebhookApp } from './cloud/cloud-hono.ts';
