/** Calls a callback of the application that is told of something: that it throws must not lose the work in hand. */
export function quietly(tell: () => void): void {
  try {
    tell();
  } catch (error) {
    console.error('webhooks: a callback threw:', error);
  }
}
