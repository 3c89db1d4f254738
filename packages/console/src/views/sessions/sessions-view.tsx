import type { SessionView } from '@chat-web/host';
import { useComputed, useSignal } from '@preact/signals';
import { mayCall } from '../../connection.ts';
import type { LiveSessions } from '../../live/live-sessions.ts';
import { Empty } from '../../parts/empty.tsx';
import { Badge, lookOf, type Tone } from '../../parts/status.tsx';
import { Table } from '../../parts/table.tsx';
import { counted } from '../../parts/words.ts';
import { BulkActions } from './bulk-actions.tsx';
import { NewSession } from './new-session.tsx';
import { filtered, GROUPS } from './session-filter.ts';
import { SessionRow } from './session-row.tsx';

const TITLES = ['Session', 'Status', 'What happened', 'Restarts', 'Memory', 'Disk', 'Last event', 'Page'];

/** All sessions, live, with problems and next steps. */
export function SessionsView({ sessions }: { readonly sessions: LiveSessions }) {
  const text = useSignal('');
  const tone = useSignal<Tone | undefined>(undefined);
  const selected = useSignal<ReadonlySet<string>>(new Set());
  const all = useComputed(() => [...(sessions.all.value?.values() ?? [])]);
  const shown = useComputed(() => filtered(all.value, { text: text.value, tone: tone.value }));
  // Only visible ones, so that no hidden session is stopped.
  const chosen = useComputed(() => shown.value.filter(({ id }) => selected.value.has(id)));
  if (sessions.all.value === undefined) return <p role="status">Reading the sessions …</p>;
  const isManager = mayCall('startSession');
  const toggle = (id: string) => {
    const next = new Set(selected.value);
    if (!next.delete(id)) next.add(id);
    selected.value = next;
  };
  return (
    <>
      <div class="title">
        <h1>Sessions</h1>
        {isManager && <NewSession />}
      </div>
      {all.value.length === 0 ? (
        <Empty title="There is no session yet.">
          <p>{isManager ? 'Start one: it shows a QR to scan.' : 'Your key covers none of the existing sessions.'}</p>
        </Empty>
      ) : (
        <>
          <search class="filters">
            <label class="grow">
              <span class="hidden">Search</span>
              <input
                type="search"
                placeholder="Search by id, reason or page"
                value={text}
                onInput={(event) => {
                  text.value = event.currentTarget.value;
                }}
              />
            </label>
            <Groups all={all.value} chosen={tone.value} onChoose={(group) => (tone.value = group)} />
          </search>
          {isManager && (
            <BulkActions
              shown={shown.value}
              chosen={chosen.value}
              onChoose={(ids) => {
                selected.value = new Set(ids);
              }}
              onDone={() => void sessions.refresh()}
            />
          )}
          <p class="soft" role="status">
            {shown.value.length === all.value.length
              ? counted(all.value.length, 'session')
              : `${shown.value.length} of ${counted(all.value.length, 'session')}`}
          </p>
          <Table kind="sessions" titles={TITLES} hasChoices={isManager}>
            {shown.value.map((session) => (
              <SessionRow
                key={session.id}
                session={session}
                isChosen={isManager ? selected.value.has(session.id) : undefined}
                onToggle={toggle}
              />
            ))}
          </Table>
          {shown.value.length === 0 && <Empty title="No session matches the search." />}
        </>
      )}
    </>
  );
}

/** The number of sessions in each group; pressing one filters the list. */
function Groups({
  all,
  chosen,
  onChoose,
}: {
  readonly all: readonly SessionView[];
  readonly chosen: Tone | undefined;
  onChoose(group: Tone | undefined): void;
}) {
  return (
    <fieldset class="groups">
      <legend class="hidden">Show only</legend>
      {(Object.keys(GROUPS) as Tone[]).map((group) => {
        const count = all.filter((session) => lookOf(session).tone === group).length;
        if (count === 0 && group !== chosen) return null;
        return (
          <button
            key={group}
            type="button"
            class="group"
            aria-pressed={group === chosen}
            onClick={() => onChoose(group === chosen ? undefined : group)}
          >
            <Badge tone={group}>{`${GROUPS[group]} ${count}`}</Badge>
          </button>
        );
      })}
    </fieldset>
  );
}
