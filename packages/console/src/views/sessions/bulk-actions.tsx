import type { SessionView } from '@chat-web/host';
import { errorText } from '@chat-web/protocol';
import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { connection } from '../../connection.ts';
import { useAction } from '../../parts/action.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { counted } from '../../parts/format.ts';

interface BulkProps {
  readonly shown: readonly SessionView[];
  readonly chosen: readonly SessionView[];
  onChoose(ids: readonly string[]): void;
  onDone(): void;
}

const VERBS = { startSession: 'Start', stopSession: 'Stop' } as const;
type Verb = keyof typeof VERBS;
/**
 * A browser has six connections to a gateway, and starts take some seconds. The gateway itself starts only a few at a
 * time.
 */
const AT_ONCE = 2;

export function BulkActions({ shown, chosen, onChoose, onDone }: BulkProps) {
  const toConfirm = useSignal<Verb | undefined>(undefined);
  const result = useSignal('');
  const action = useAction(async () => {
    const verb = toConfirm.value ?? 'startSession';
    const ids = chosen.map(({ id }) => id);
    toConfirm.value = undefined;
    const { signal } = over;
    const failures = await forEach(ids, verb, signal, (left) => {
      result.value = `${VERBS[verb]}: ${ids.length - left} of ${counted(ids.length, 'session')} …`;
    });
    if (signal.aborted) return;
    result.value = summary(verb, ids.length, failures);
    onDone();
  });
  const over = useMemo(() => new AbortController(), []);
  useEffect(() => () => over.abort(), [over]);
  const areAll = shown.length > 0 && chosen.length === shown.length;
  return (
    <div class="bulk">
      <label>
        <input
          type="checkbox"
          checked={areAll}
          indeterminate={!areAll && chosen.length > 0}
          onChange={() => onChoose(areAll ? [] : shown.map(({ id }) => id))}
        />
        Select all shown
      </label>
      {(Object.keys(VERBS) as Verb[]).map((verb) => (
        <button
          key={verb}
          type="button"
          disabled={chosen.length === 0}
          aria-disabled={action.isBusy.value}
          onClick={() => {
            if (!action.isBusy.value) toConfirm.value = verb;
          }}
        >
          {chosen.length > 0 ? `${VERBS[verb]} ${chosen.length}` : VERBS[verb]}
        </button>
      ))}
      <span role="status">{result.value}</span>
      {toConfirm.value && (
        <FormDialog
          title={`${VERBS[toConfirm.value]} ${counted(chosen.length, 'session')}?`}
          verb={VERBS[toConfirm.value]}
          work={async () => void action.run()}
          onClose={() => (toConfirm.value = undefined)}
        >
          <p class="names">{chosen.map(({ id }) => id).join(', ')}</p>
          {chosen.length > 1 && <p class="soft">Stay on this page until it is done: leaving it skips the rest.</p>}
        </FormDialog>
      )}
    </div>
  );
}

/**
 * The errors of the sessions that failed, by id. `onProgress` gets how many are left. Starts no other once the signal
 * aborts.
 */
async function forEach(
  ids: readonly string[],
  verb: Verb,
  signal: AbortSignal,
  onProgress: (left: number) => void,
): Promise<ReadonlyMap<string, string>> {
  const { client } = connection();
  const waiting = [...ids];
  const failures = new Map<string, string>();
  const next = async () => {
    for (let id = waiting.shift(); id !== undefined && !signal.aborted; id = waiting.shift()) {
      onProgress(waiting.length + 1);
      try {
        await client[verb]({ id });
      } catch (error) {
        failures.set(id, errorText(error));
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, next));
  return failures;
}

function summary(verb: Verb, count: number, failures: ReadonlyMap<string, string>): string {
  const done = `${VERBS[verb]}: ${count - failures.size} of ${counted(count, 'session')} done.`;
  const [first] = failures;
  return first ? `${done} ${failures.size} failed, such as ${first[0]}: ${first[1]}` : done;
}
