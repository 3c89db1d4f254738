import { signal } from '@preact/signals';
import { useEffect, useId } from 'preact/hooks';
import { signIn } from '../connection.ts';
import { CopyButton } from './copy-button.tsx';
import { Dialog } from './dialog.tsx';

/** A secret that the gateway shows only once. */
interface Secret {
  readonly title: string;
  readonly value: string;
  /** What it is for. */
  readonly note: string;
}

/** One after the other. */
const waiting = signal<readonly Secret[]>([]);

/** Whoever signs in next is not to see it. */
signIn.subscribe(({ is }) => {
  if (is === 'asked') waiting.value = [];
});

/** Shows a secret, over all views, until somebody says that it is stored. */
export function showSecret(secret: Secret): void {
  if (signIn.peek().is === 'connected') waiting.value = [...waiting.value, secret];
}

/** The secret of a webhook that was just created, or was given another one. */
export function showWebhookSecret({ url, secret }: { readonly url: string; readonly secret: string }): void {
  const note = `Each event to ${url} is signed with it. Give it to the application, which checks the signature.`;
  showSecret({ title: 'The secret of the webhook', value: secret, note });
}

/** The secret that is to be stored, if there is one. */
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
