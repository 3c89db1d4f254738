import type { SessionView } from '@chat-web/host';
import { sessionId, withDeadline } from '@chat-web/protocol';
import { useComputed, useSignal } from '@preact/signals';
import * as v from 'valibot';
import { connection, mayCall } from '../../connection.ts';
import type { LiveSessions } from '../../live/live-sessions.ts';
import { Empty } from '../../parts/empty.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { counted } from '../../parts/format.ts';
import { Badge, lookOf, type Tone } from '../../parts/status.tsx';
import { Table } from '../../parts/table.tsx';
import { TextField } from '../../parts/text-field.tsx';
import { goTo } from '../../route.ts';
import { BulkActions } from './bulk-actions.tsx';
import { SessionRow } from './session-row.tsx';

const TITLES = ['Session', 'Status', 'What happened', 'Restarts', 'Memory', 'Disk', 'Last event', 'Page'];

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

interface SessionFilter {
  /** A part of the id, of the reason or of its sentence. */
  readonly text: string;
  readonly tone: Tone | undefined;
}

const GROUPS: Readonly<Record<Tone, string>> = {
  bad: 'Failed',
  attention: 'Needs attention',
  busy: 'Starting',
  good: 'Ready',
  off: 'Not running',
};

function filtered(sessions: readonly SessionView[], { text, tone }: SessionFilter): readonly SessionView[] {
  const wanted = text.trim().toLowerCase();
  return sessions.filter((session) => {
    if (tone && lookOf(session).tone !== tone) return false;
    if (wanted === '') return true;
    const { id, reason = '', message = '', pageVersion = '' } = session;
    return [id, reason, message, pageVersion].some((written) => written.toLowerCase().includes(wanted));
  });
}

/** Refusals arrive sooner. */
const SHOW_AFTER_MS = 1_500;

function NewSession() {
  const isOpen = useSignal(false);
  return (
    <>
      <button type="button" class="primary" onClick={() => (isOpen.value = true)}>
        New session
      </button>
      {isOpen.value && <NewSessionDialog onClose={() => (isOpen.value = false)} />}
    </>
  );
}

function NewSessionDialog({ onClose }: { onClose(): void }) {
  const id = useSignal('');
  const start = async () => {
    const wanted = v.parse(sessionId, id.value.trim());
    // It answers once there is a QR, or with the reason why it does not start; the view of the session shows the rest.
    await withDeadline(connection().client.startSession({ id: wanted }), SHOW_AFTER_MS, () => undefined);
    goTo('sessions', wanted);
  };
  return (
    <FormDialog title="New session" verb="Start" work={start} onClose={onClose}>
      <TextField label="Id" value={id} required maxLength={64} pattern="[A-Za-z0-9_\-]{1,64}">
        1 to 64 letters, digits, _ and -. It names the account in the API, such as shop-1.
      </TextField>
    </FormDialog>
  );
}
