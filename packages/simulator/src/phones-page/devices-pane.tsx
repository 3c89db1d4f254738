import { useRef, useState } from 'preact/hooks';
import type { Account } from '../network/account.ts';
import { continueLinking, pair, requirePasskey, scan, turn, unlink } from './api.ts';
import { showFull, showWhen } from './format.ts';
import { useAction } from './hooks.ts';
import { PhoneIsOff } from './parts.tsx';
import { linkTo } from './route.ts';
import type { WaitingPage } from './view.ts';
import { WaitingCard } from './waiting-card.tsx';

interface DevicesPaneProps {
  readonly account: Account;
  readonly waiting: readonly WaitingPage[];
  refresh(): void;
}

/** The linked devices of a phone, and the pages that it can link. */
export function DevicesPane({ account, waiting, refresh }: DevicesPaneProps) {
  const { number, name, devices, online, passkey } = account;
  const { isBusy, problem, run } = useAction();
  const [done, setDone] = useState('');
  const heading = useRef<HTMLHeadingElement>(null);
  const act = async (what: () => Promise<void>, sentence: string) => {
    setDone('');
    if (!(await run(what))) return;
    setDone(sentence);
    refresh();
    // The button was removed together with its card.
    heading.current?.focus();
  };
  const scanned = passkey ? 'Scanned. The page asks for a passkey now.' : 'Scanned. The page is linked.';
  const typed = passkey
    ? 'The code is right. The page asks for a passkey now.'
    : 'The code is right. The page is linked.';
  return (
    <section class="detail" aria-labelledby="devices">
      <header>
        <a class="back" href={linkTo({ number })} aria-label="Back to the chats">
          ←
        </a>
        <h2 id="devices" tabIndex={-1} data-focus ref={heading}>
          Linked devices
          <small>
            Phone of <bdi>{name}</bdi>
          </small>
        </h2>
      </header>
      <div role="status">{done && <p class="notice">{done}</p>}</div>
      <div role="alert">{problem && <p class="problem">{problem}</p>}</div>
      <div class="scroller">
        {!online && <PhoneIsOff isBusy={isBusy} turnOn={() => act(() => turn(number, true), 'The phone is on.')} />}

        <h3>Waiting to be linked</h3>
        {waiting.length === 0 && (
          <p class="soft">
            No page shows a QR or waits for a code. Start a session of the gateway, in its console or with{' '}
            <code>POST /sessions/main/start</code>: its QR appears here.
          </p>
        )}
        {passkey && waiting.length > 0 && (
          <p class="soft">
            This account requires a passkey: after the scan, the page asks its own user for it. A gateway has none, and
            reports <code>PASSKEY_REQUIRED</code>.
          </p>
        )}
        <ul class="cards">
          {waiting.map((page) => (
            <li key={page.id}>
              <WaitingCard
                page={page}
                number={number}
                isBusy={isBusy}
                onScan={(qr) => act(() => scan(number, qr), scanned)}
                onCode={(code) => act(() => pair(number, code), typed)}
                onContinue={() => act(() => continueLinking(number), 'The phone has gone on: compare the codes.')}
              />
            </li>
          ))}
        </ul>

        <h3>Linked</h3>
        {devices.length === 0 && <p class="soft">No device is linked to this phone.</p>}
        <ul class="cards">
          {devices.map((device) => (
            <li key={device.id}>
              <DeviceCard
                device={device}
                isBusy={isBusy}
                onUnlink={() => act(() => unlink(number, device.id), 'Unlinked. Its session ends.')}
              />
            </li>
          ))}
        </ul>

        <h3>For this account</h3>
        <label class="check">
          <input
            type="checkbox"
            checked={passkey}
            onChange={async ({ currentTarget: box }) => {
              if (await run(() => requirePasskey(number, box.checked))) refresh();
              else box.checked = passkey;
            }}
          />
          Linking a device requires a passkey
        </label>
      </div>
    </section>
  );
}

interface DeviceCardProps {
  readonly device: Account['devices'][number];
  readonly isBusy: boolean;
  onUnlink(): void;
}

function DeviceCard({ device, isBusy, onUnlink }: DeviceCardProps) {
  const { id, name, linkedAt, online } = device;
  const at = new Date(linkedAt);
  const title = `Device ${id.slice(0, 4)}`;
  return (
    <article class="card" aria-label={title}>
      <div>
        <h4>{title}</h4>
        <p>{name}</p>
        <p>
          {online ? 'Online' : 'Offline'}, linked since{' '}
          <time dateTime={linkedAt} title={showFull(at)}>
            {showWhen(at)}
          </time>
        </p>
      </div>
      <button type="button" class="quiet" aria-disabled={isBusy} onClick={onUnlink}>
        Unlink<span class="unseen"> device {id.slice(0, 4)}</span>
      </button>
    </article>
  );
}
