import { createClient, type ErrorCode, type GatewayAddress, GatewayError, type OperationMethods } from '@chat-web/host';
import { type OperationAnswer, type OperationName, operations, reaches } from '@chat-web/protocol';
import { signal } from '@preact/signals';
import { storedToken } from './stored-token.ts';

type Access = OperationAnswer<(typeof operations)['getAccess']>;

/** The gateway with the credentials of whoever is signed in. */
export interface Connection {
  readonly address: GatewayAddress;
  readonly client: OperationMethods;
  readonly access: Access;
}

/** The sign-in state: signed out, or signed in. `because`: why, according to the last attempt or the gateway. */
export type SignIn =
  | { readonly is: 'resuming' }
  | { readonly is: 'signed-out'; readonly because?: string | undefined }
  | { readonly is: 'connected'; readonly to: Connection };

export const signIn = signal<SignIn>({ is: 'resuming' });

/** The gateway serves the console one level below its own routes, also behind a proxy that adds a path. */
const GATEWAY_URL = new URL('..', document.baseURI).href.replace(/\/$/, '');
const RETRY_MS = 2_000;
/** All other failures may be temporary: a proxy answers while the gateway is away. */
const REFUSALS: readonly ErrorCode[] = ['unauthorized', 'forbidden', 'insufficient_scope'];

/** Signs in with the stored token of the tab, or without one if the gateway requires none. Never rejects. */
export async function resume(): Promise<void> {
  const token = storedToken.get();
  for (;;) {
    const failure = await connect(token);
    if (failure === undefined) return;
    if (REFUSALS.includes(failure.code)) {
      if (token === undefined) signIn.value = { is: 'signed-out' };
      else signOut(failure.message);
      return;
    }
    signIn.value = { is: 'resuming' };
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

/** Signs in with a token or key. Resolves with the error if the gateway refuses it, or does not answer. */
export async function connect(token: string | undefined): Promise<GatewayError | undefined> {
  const address = { url: GATEWAY_URL, token };
  const client = createClient(address);
  try {
    const access = await client.getAccess({}, { retries: 0 });
    if (token !== undefined) storedToken.set(token);
    const to: Connection = { address, client: untilRefused(client, () => isCurrent(to)), access };
    signIn.value = { is: 'connected', to };
    return undefined;
  } catch (error) {
    if (error instanceof GatewayError) return error;
    throw error;
  }
}

export function signOut(because?: string): void {
  storedToken.forget();
  signIn.value = { is: 'signed-out', because };
}

/** False once someone has signed in with other credentials. */
function isCurrent(one: Connection): boolean {
  const { value: state } = signIn;
  return state.is === 'connected' && state.to === one;
}

/** The same client, which signs out once the gateway no longer accepts the token. */
function untilRefused(client: OperationMethods, isCurrent: () => boolean): OperationMethods {
  return new Proxy(client, {
    get(methods, name: OperationName) {
      const method = methods[name] as (...args: unknown[]) => Promise<unknown>;
      return async (...args: unknown[]) => {
        try {
          return await method(...args);
        } catch (error) {
          if (error instanceof GatewayError && error.code === 'unauthorized' && isCurrent()) signOut(error.message);
          throw error;
        }
      };
    },
  });
}

/** The connection; use it only in views that are shown while signed in. */
export function connection(): Connection {
  const state = signIn.value;
  if (state.is !== 'connected') throw new Error('not signed in');
  return state.to;
}

/** True if the caller may call this operation. Without a token, there are no keys. */
export function mayCall(name: OperationName): boolean {
  const { id, scope } = connection().access;
  return reaches(scope, operations[name].scope) && !(id === 'open' && operations[name].path.startsWith('/keys'));
}
