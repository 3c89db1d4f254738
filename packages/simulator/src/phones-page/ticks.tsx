import { showAck } from './format.ts';

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
