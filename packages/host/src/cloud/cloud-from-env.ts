import { type CloudWebhook, type CloudWebhookOptions, createCloudWebhook } from './cloud-webhook.ts';

/** Settings by name, such as `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

const YES = ['true', '1', 'yes'];
const NO = ['false', '0', 'no'];

/**
 * `createCloudWebhook` with `CHAT_VERIFY_TOKEN`, `CHAT_APP_SECRET` (several, with commas, while it is replaced) and
 * `CHAT_VERIFY_SIGNATURE` (default true; true, false, 1, 0, yes or no). Throws an Error that names a setting with a bad
 * value.
 *
 * @example
 * const webhook = cloudWebhookFromEnv(process.env, { onEvent: (event) => console.log(event.name) });
 */
export function cloudWebhookFromEnv(
  environment: Environment,
  options: Omit<CloudWebhookOptions, 'verifyToken' | 'appSecret' | 'verifySignature'> = {},
): CloudWebhook {
  return createCloudWebhook({
    ...options,
    verifyToken: environment.CHAT_VERIFY_TOKEN,
    appSecret: (environment.CHAT_APP_SECRET ?? '').split(',').map((secret) => secret.trim()),
    verifySignature: yesOrNo('CHAT_VERIFY_SIGNATURE', environment.CHAT_VERIFY_SIGNATURE),
  });
}

function yesOrNo(name: string, written: string | undefined): boolean {
  const value = written?.trim().toLowerCase() || 'true'; // Empty counts as unset.
  if (YES.includes(value)) return true;
  if (NO.includes(value)) return false;
  throw new Error(`${name} must be true, false, 1, 0, yes or no`);
}
