/** Calls a reporting callback of the application: an error in it must not lose the current work. */
export function quietly(callback: () => void): void {
  try {
    callback();
  } catch (error) {
    console.error('webhooks: a callback threw:', error);
  }
}
