export { cloudWebhookFromEnv, type Environment } from './cloud/cloud-from-env.ts';
