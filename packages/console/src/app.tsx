import { type Connection, signIn } from './connection.ts';
import { Shell } from './shell.tsx';
import { SignInForm } from './sign-in.tsx';

/** The console: the sign-in form, or the views. */
export function App() {
  const state = signIn.value;
  if (state.is === 'asked') return <SignInForm because={state.because} />;
  if (state.is === 'resuming')
    return (
      <main class="sign-in">
        <p role="status">Waiting for the gateway …</p>
      </main>
    );
  return <Shell key={keyOf(state.to)} />;
}

/** All views are recreated for another caller: nothing of the previous one remains. */
function keyOf({ access, address }: Connection): string {
  return `${access.id} ${address.token ?? ''}`;
}
