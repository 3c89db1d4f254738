import { Secret } from '../../parts/secret.tsx';

interface WebhookSecretProps {
  readonly of: { readonly url: string; readonly secret: string };
  onDone(): void;
}

/** The secret of a webhook that was just made or got another one. */
export function WebhookSecret({ of: { url, secret }, onDone }: WebhookSecretProps) {
  return (
    <Secret title="The secret of the webhook" value={secret} onDone={onDone}>
      Each event to {url} is signed with it: give it to the application, which checks the signature.
    </Secret>
  );
}
