import { showAck } from './format.ts';

/** How far a message has come: sent, delivered or read. */
export function Ticks({ ack }: { readonly ack: number }) {
  const word = showAck(ack);
  return (
    <span class={`ticks ${word}`} title={word}>
      <span aria-hidden="true">{ack >= 2 ? '✓✓' : '✓'}</span>
      <span class="unseen">{word} </span>
    </span>
  );
}
