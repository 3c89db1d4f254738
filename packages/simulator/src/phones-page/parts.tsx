import { showAck } from './format.ts';

/** The first letter of a name, as a decoration. */
export function Avatar({ name }: { readonly name: string }) {
  const letter = /\p{L}|\p{N}/u.exec(name)?.[0] ?? '#';
  return (
    <span class="avatar" aria-hidden="true">
      {letter.toUpperCase()}
    </span>
  );
}

/** How many messages have not been read; nothing for none. */
export function Unread({ count }: { readonly count: number }) {
  if (count === 0) return null;
  return (
    <span class="unread">
      {count}
      <span class="unseen"> unread</span>
    </span>
  );
}

/** The delivery state of a message: sent, delivered or read. */
export function Ticks({ ack }: { readonly ack: number }) {
  const word = showAck(ack);
  return (
    <span class={`ticks ${word}`} title={word}>
      <span aria-hidden="true">{ack >= 2 ? '✓✓' : '✓'}</span>
      <span class="unseen">{word} </span>
    </span>
  );
}

/** Why the phone does nothing, and a button for it. */
export function PhoneIsOff({ isBusy, turnOn }: { readonly isBusy: boolean; turnOn(): void }) {
  return (
    <p class="notice off">
      This phone is off: it gets no messages, and does nothing.
      <button type="button" aria-disabled={isBusy} onClick={turnOn}>
        Turn it on
      </button>
    </p>
  );
}
