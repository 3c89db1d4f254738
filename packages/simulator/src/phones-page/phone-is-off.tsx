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
