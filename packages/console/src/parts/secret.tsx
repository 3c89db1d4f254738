import { signal } from '@preact/signals';
import { useEffect, useId } from 'preact/hooks';
import { signIn } from '../connection.ts';
import { CopyButton } from './copy-button.tsx';
import { Dialog } from './dialog.tsx';

interface Secret {
  readonly title: string;
  readonly value: string;
  readonly note: string;
}

/** Shown one at a time. */
const waiting = signal<readonly Secret[]>([]);

/** The next person who signs in must not see it. */
signIn.subscribe(({ is }) => {
  if (is === 'signed-out') waiting.value = [];
});

/** Shows a secret, above all views, until the user confirms that it is stored. */
export function showSecret(secret: Secret): void {
  if (signIn.peek().is === 'connected') waiting.value = [...waiting.value, secret];
}

/** Shows the secret of a webhook that was just created, or whose secret was rotated. */
export function showWebhookSecret({ url, secret }: { readonly url: string; readonly secret: string }): void {
  const note = `Each event to ${url} is signed with it. Give it to the application, which checks the signature.`;
  showSecret({ title: 'The secret of the webhook', value: secret, note });
}

export function SecretDialog() {
  const [secret] = waiting.value;
  return secret && <Shown key={secret.value} {...secret} />;
}

function Shown({ title, value, note }: Secret) {
  const noteId = useId();
  useEffect(() => {
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, []);
  return (
    <Dialog title={title}>
      <p id={noteId}>
        <strong>It is not shown again.</strong> {note}
      </p>
      <code class="secret">{value}</code>
      <div class="buttons">
        <CopyButton text={value} look="primary" describedBy={noteId} />
        <button
          type="button"
          onClick={() => {
            waiting.value = waiting.value.slice(1);
          }}
        >
          I have stored it
        </button>
      </div>
    </Dialog>
  );
}
