import { useSignal } from '@preact/signals';
import { connection } from '../../connection.ts';
import { Failure, useAction, useLoaded } from '../../parts/action.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Reading } from '../../parts/reading.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { counted } from '../../parts/words.ts';

const READ_EVERY_MS = 5_000;
/** The gateway keeps up to 1,000. */
const SHOWN = 100;
const TITLES = ['Given up', 'Event', 'Session', 'Attempts', 'Why', 'Id'];

/** The dead letters, newest first, and a button that delivers them again. */
export function DeadLetters({ webhookId, isDisabled }: { readonly webhookId: string; readonly isDisabled: boolean }) {
  const { client } = connection();
  const loaded = useLoaded((signal) => client.listDeadLetters({ webhookId }, { signal, retries: 0 }), {
    ...{ key: webhookId, everyMs: READ_EVERY_MS },
  });
  const result = useSignal('');
  const replay = useAction(async () => {
    const { replaying } = await client.replayDeadLetters({ webhookId });
    result.value = `${counted(replaying, 'event')} on the way, each once; what fails again stays here.`;
    await loaded.reload();
  });
  const letters = loaded.value.value?.deadLetters.toReversed() ?? [];
  return (
    <section aria-labelledby="dead-letters">
      <div class="title">
        <h2 id="dead-letters">Dead letters</h2>
        {letters.length > 0 && (
          <button
            type="button"
            disabled={isDisabled}
            aria-disabled={replay.isBusy.value}
            onClick={() => void replay.run()}
          >
            Deliver {letters.length} again
          </button>
        )}
      </div>
      <p role="status">{result.value}</p>
      <Failure error={replay.failure.value} />
      <Reading of={loaded} what="the dead letters">
        {() =>
          letters.length === 0 ? (
            <Empty title="There are no dead letters." />
          ) : (
            <>
              {letters.length > SHOWN && <p class="soft">The newest {SHOWN} are shown.</p>}
              <Table titles={TITLES}>
                {letters.slice(0, SHOWN).map(({ id, event, session, at, attempts, message }) => (
                  <tr key={id}>
                    <td data-title="Given up" class="short">
                      <Time at={at} />
                    </td>
                    <td data-title="Event">{event}</td>
                    <td data-title="Session">{session}</td>
                    <td data-title="Attempts" class="short">
                      {attempts}
                    </td>
                    <td data-title="Why" class="what">
                      {message}
                    </td>
                    <td data-title="Id">
                      <code>{id}</code>
                    </td>
                  </tr>
                ))}
              </Table>
            </>
          )
        }
      </Reading>
    </section>
  );
}
