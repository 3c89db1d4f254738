import { signal } from '@preact/signals';
import { signIn } from '../../connection.ts';

/** The tab alone remembers it. */
const KEPT = 'chat-web.contents';

/** True while contents of messages are shown. */
export const contentsShown = signal(sessionStorage.getItem(KEPT) === 'shown');

/** Whoever signs in next has not asked for them. */
signIn.subscribe(({ is }) => {
  if (is === 'asked') remember(false);
});

function remember(isShown: boolean): void {
  if (isShown) sessionStorage.setItem(KEPT, 'shown');
  else sessionStorage.removeItem(KEPT);
  contentsShown.value = isShown;
}

/** Shows the contents of messages in this tab, or hides them. */
export function ContentsSwitch() {
  return (
    <label class="inline">
      <input
        type="checkbox"
        checked={contentsShown.value}
        onChange={({ currentTarget: { checked } }) => remember(checked)}
      />
      Show contents
    </label>
  );
}
