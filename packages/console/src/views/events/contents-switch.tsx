import { signal } from '@preact/signals';

/** The tab alone remembers it. */
const KEPT = 'chat-web.contents';

/** True while contents of messages are shown. */
export const contentsShown = signal(sessionStorage.getItem(KEPT) === 'shown');

/** Shows the contents of messages in this tab, or hides them. */
export function ContentsSwitch() {
  return (
    <label class="inline">
      <input
        type="checkbox"
        checked={contentsShown.value}
        onChange={({ currentTarget: { checked } }) => {
          if (checked) sessionStorage.setItem(KEPT, 'shown');
          else sessionStorage.removeItem(KEPT);
          contentsShown.value = checked;
        }}
      />
      Show contents
    </label>
  );
}
