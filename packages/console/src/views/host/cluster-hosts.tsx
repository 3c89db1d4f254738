import type { OperationAnswer, operations } from '@chat-web/protocol';
import { useSignal } from '@preact/signals';
import { connection } from '../../connection.ts';
import { Failure, useAction, useLoaded } from '../../parts/action.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { bytesText } from '../../parts/format.ts';
import { Badge, type Tone } from '../../parts/status.tsx';
import { type Column, Records } from '../../parts/table.tsx';
import { TextField } from '../../parts/text-field.tsx';
import { Time } from '../../parts/time.tsx';

const READ_EVERY_MS = 5_000;

type Host = OperationAnswer<(typeof operations)['listHosts']>['hosts'][number];

const STATES: Readonly<Record<Host['state'], readonly [word: string, tone: Tone]>> = {
  live: ['Live', 'good'],
  late: ['Late', 'attention'],
  lost: ['Lost', 'bad'],
  released: ['Stopped', 'off'],
};

const COLUMNS: readonly Column<Host>[] = [
  { title: 'Host', kind: 'name', of: ({ name, isOwn }) => (isOwn ? `${name} (this one)` : name) },
  {
    title: 'State',
    kind: 'short',
    of: ({ state, draining }) => {
      const [word, tone] = STATES[state];
      return draining ? <Badge tone="busy">{`${word}, draining`}</Badge> : <Badge tone={tone}>{word}</Badge>;
    },
  },
  { title: 'Sessions', kind: 'short', of: ({ used, capacity }) => `${used} of ${capacity}` },
  {
    title: 'Memory available',
    kind: 'short',
    of: ({ memoryAvailableBytes: bytes }) => (bytes === undefined ? '' : bytesText(bytes)),
  },
  {
    title: 'Disk free',
    kind: 'short',
    of: ({ diskFreeBytes: bytes }) => (bytes === undefined ? '' : bytesText(bytes)),
  },
  { title: 'Last beat', kind: 'short', of: ({ beatAt }) => (beatAt === undefined ? 'never' : <Time at={beatAt} />) },
  { title: 'Version', kind: 'short', of: ({ version = '' }) => version },
];

/** The hosts of the cluster; nothing for a gateway on its own. */
export function ClusterHosts() {
  const loaded = useLoaded('listHosts', {}, READ_EVERY_MS);
  const opened = useSignal<{ readonly host: Host; readonly dialog: 'off' | 'drain' } | undefined>(undefined);
  const endDrain = useAction(async () => {
    for (const { id, draining } of loaded.value.peek()?.hosts ?? [])
      if (draining) await connection().client.endDrain({ hostId: id });
    await loaded.reload();
  });
  const balance = useAction(async () => {
    await connection().client.rebalanceHosts();
    await loaded.reload();
  });
  const hosts = loaded.value.value?.hosts ?? [];
  if (hosts.length === 0) return <Failure error={loaded.failure.value} />;
  const close = () => {
    opened.value = undefined;
    void loaded.reload();
  };
  return (
    <section aria-labelledby="hosts">
      <h2 id="hosts">Hosts of the cluster</h2>
      <Failure error={loaded.failure.value} />
      <Records
        columns={COLUMNS}
        rows={hosts}
        keyOf={({ id }) => id}
        actions={(host) => (
          <>
            {host.state === 'live' && !host.draining && (
              <button
                type="button"
                aria-label={`Drain ${host.name}`}
                onClick={() => (opened.value = { host, dialog: 'drain' })}
              >
                Drain …
              </button>
            )}
            {host.state === 'lost' && !host.confirmedOff && (
              <button
                type="button"
                class="danger"
                aria-label={`Confirm that ${host.name} is off`}
                onClick={() => (opened.value = { host, dialog: 'off' })}
              >
                It is off …
              </button>
            )}
          </>
        )}
      />
      <div class="buttons">
        <button type="button" aria-disabled={balance.isBusy.value} onClick={() => void balance.run()}>
          Balance the hosts
        </button>
        {hosts.some(({ draining }) => draining) && (
          <button type="button" aria-disabled={endDrain.isBusy.value} onClick={() => void endDrain.run()}>
            End all drains
          </button>
        )}
        <Failure error={balance.failure.value ?? endDrain.failure.value} />
      </div>
      {hosts.map((host) => (
        <LostHost key={host.id} of={host} />
      ))}
      {opened.value?.dialog === 'drain' && <DrainDialog of={opened.value.host} onClose={close} />}
      {opened.value?.dialog === 'off' && <OffDialog of={opened.value.host} onClose={close} />}
    </section>
  );
}

/** What to do about a host whose sessions do not run. */
function LostHost({ of: { name, state, used, confirmedOff } }: { readonly of: Host }) {
  if (state !== 'lost' || used === 0) return null;
  const sessions = used === 1 ? 'The session' : `The ${used} sessions`;
  return (
    <p class="failure">
      {sessions} of {name} cannot be reached.{' '}
      {confirmedOff
        ? 'Its machine is confirmed to be off: attach its disk to another machine, and start a gateway there.'
        : 'If its machine comes back, they continue. If it is off for good, attach its disk to another machine, start a gateway there, and confirm here that the old machine is off.'}
    </p>
  );
}

interface DialogProps {
  readonly of: Host;
  onClose(): void;
}

function DrainDialog({ of: { id, name, used }, onClose }: DialogProps) {
  return (
    <FormDialog
      title={`Drain ${name}?`}
      verb="Drain"
      work={() => connection().client.drainHost({ hostId: id })}
      onClose={onClose}
    >
      <p>
        It gets no new sessions, and its {used} sessions move to other hosts, four at a time. They stay linked; their
        calls wait for some seconds.
      </p>
    </FormDialog>
  );
}

function OffDialog({ of: { id, name }, onClose }: DialogProps) {
  const typed = useSignal('');
  return (
    <FormDialog
      title={`Is the machine of ${name} off?`}
      verb="It is off"
      isDangerous
      isReady={typed.value === name}
      work={() => connection().client.confirmHostOff({ hostId: id, confirm: id })}
      onClose={onClose}
    >
      <p>Check it first: if only its network is cut, two hosts use the same accounts, which breaks their links.</p>
      <TextField label={`Type ${name} to confirm`} value={typed} />
    </FormDialog>
  );
}
