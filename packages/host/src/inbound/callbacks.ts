type OnError<E> = (error: unknown, event?: E) => void;

/** Calls the application's `onError`; by default, writes to the console. */
export function reportError<E extends { readonly name: string }>(
  onError: OnError<E> | undefined,
  error: unknown,
  event?: E,
): void {
  const report: OnError<E> =
    onError ?? ((thrown, of) => console.error(of ? `webhooks: ${of.name} failed:` : 'webhooks:', thrown));
  withoutThrowing(() => report(error, event));
}

/** Calls a reporting callback of the application: an error in it must not lose the current work. */
export function withoutThrowing(callback: () => void): void {
  try {
    callback();
  } catch (error) {
    console.error('webhooks: a callback threw:', error);
  }
}
