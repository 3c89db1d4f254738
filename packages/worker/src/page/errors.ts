import { errorText } from '@chat-web/protocol';

/** True for the error of a call whose document was replaced or closed while it ran. */
export function wasNavigated(error: unknown): boolean {
  return /context was destroyed|Cannot find context|detached|Target closed|Session closed|Inspected target/i.test(
    errorText(error),
  );
}
