import { fullTime } from '../../parts/words.ts';
import { ackText } from '../events/event-text.ts';
import type { AckWatch } from './ack-watch.ts';

interface AcksProps {
  readonly id: string;
  /** The ack in the answer. Undefined: it is unknown whether the message was sent. */
  readonly answered: number | undefined;
  readonly acks: AckWatch;
}

/** The acks of a message, as they arrive. */
export function Acks({ id, answered, acks }: AcksProps) {
  const seen = acks.acks.value.get(id) ?? [];
  const later = seen.filter(({ ack }) => answered === undefined || ack > answered || ack < 0);
  return (
    <section class="sent" aria-labelledby="acks">
      <h3 id="acks">What became of it</h3>
      <div role="status">
        <ol class="timeline">
          <li>
            <span class="soft">answered</span>
            {answered === undefined ? 'unknown: an ack would confirm that it was sent' : ackText(answered)}
          </li>
          {later.map(({ ack, at }) => (
            <li key={`${ack} ${at}`}>
              <time dateTime={at}>{fullTime(Date.parse(at))}</time> {ackText(ack)}
            </li>
          ))}
        </ol>
      </div>
    </section>
  );
}
