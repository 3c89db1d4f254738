import { useSignal } from '@preact/signals';
import { type Connection, connect, signIn } from './connection.ts';
import { Failure, useAction } from './parts/action.tsx';
import { Shell } from './shell.tsx';

export function App() {
  const state = signIn.value;
  if (state.is === 'signed-out') return <SignInForm because={state.because} />;
  if (state.is === 'resuming')
    return (
      <main class="sign-in">
        <p role="status">Waiting for the gateway …</p>
      </main>
    );
  return <Shell key={callerKey(state.to)} />;
}

/** All views are recreated for another caller: nothing of the previous one remains. */
function callerKey({ access, address }: Connection): string {
  return `${access.id} ${address.token ?? ''}`;
}

function SignInForm({ because }: { readonly because: string | undefined }) {
  const token = useSignal('');
  const attempt = useAction(async () => {
    const failure = await connect(token.value.trim());
    if (failure) throw failure;
  });
  return (
    <main class="sign-in">
      <h1>Chat-web console</h1>
      {because !== undefined && <p role="status">Sign in again: {because}.</p>}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void attempt.run();
        }}
      >
        <label>
          Token or key of the gateway
          <input
            type="password"
            autocomplete="off"
            spellcheck={false}
            required
            value={token}
            onInput={(event) => {
              token.value = event.currentTarget.value;
            }}
          />
        </label>
        <button type="submit" class="primary" aria-disabled={attempt.isBusy.value}>
          Sign in
        </button>
        <Failure error={attempt.failure.value} />
      </form>
      <p class="soft">
        The token is CHAT_WEB_TOKEN of the gateway; a key shows what its scope allows. Only this tab keeps it, until it
        is closed.
      </p>
    </main>
  );
}
