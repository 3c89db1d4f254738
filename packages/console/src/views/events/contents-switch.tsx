import { signal } from '@preact/signals';
import { signIn } from '../../connection.ts';

/** Stored only in the tab. */
const KEPT = 'chat-web.contents';

/** True while message contents are shown. */
export const contentsShown = signal(sessionStorage.getItem(KEPT) === 'shown');

/** The next person who signs in has not asked for them. */
signIn.subscribe(({ is }) => {
  if (is === 'asked') remember(false);
});

function remember(isShown: boolean): void {
  if (isShown) sessionStorage.setItem(KEPT, 'shown');
  else sessionStorage.removeItem(KEPT);
  contentsShown.value = isShown;
}

/** Shows or hides message contents in this tab. */
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
