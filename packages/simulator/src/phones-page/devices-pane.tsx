import { useRef, useState } from 'preact/hooks';
import type { Account, LinkedDevice } from '../api.ts';
import { useAction } from './action.ts';
import { continueLinking, pair, requirePasskey, scan, turn, unlink } from './api.ts';
import { showFull, showNumber, showWhen } from './format.ts';
import { linkTo } from './route.ts';
import type { WaitingPage } from './view.ts';

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
    // The button is gone with what it was for.
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
        {!online && <PhoneIsOff {...{ isBusy }} turnOn={() => act(() => turn(number, true), 'The phone is on.')} />}

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
                {...{ page, number, isBusy }}
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
                {...{ device, isBusy }}
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
            disabled={isBusy}
            onChange={async ({ currentTarget: { checked } }) => {
              if (await run(() => requirePasskey(number, checked))) refresh();
            }}
          />
          Linking a device requires a passkey
        </label>
      </div>
    </section>
  );
}

/** Why the phone does nothing, and a button for it. */
export function PhoneIsOff({ isBusy, turnOn }: { readonly isBusy: boolean; turnOn(): void }) {
  return (
    <p class="notice off">
      This phone is off: it gets no messages, and does nothing.
      <button type="button" disabled={isBusy} onClick={turnOn}>
        Turn it on
      </button>
    </p>
  );
}

interface WaitingCardProps {
  readonly page: WaitingPage;
  readonly number: string;
  readonly isBusy: boolean;
  onScan(qr: string): void;
  onCode(code: string): void;
  onContinue(): void;
}

function WaitingCard({ page, number, isBusy, onScan, onCode, onContinue }: WaitingCardProps) {
  const { id, qr, codeFor, passkeyFor } = page;
  const title = `Page ${id.slice(0, 4)}`;
  const other = passkeyFor ?? codeFor;
  if (other !== undefined && other !== number) {
    return (
      <article class="card" aria-label={title}>
        <h4>{title}</h4>
        <p>
          It waits for the phone of <a href={linkTo({ number: other, devices: true })}>{showNumber(other)}</a>
          {passkeyFor === undefined ? ', into which its pairing code is typed.' : ', whose account requires a passkey.'}
        </p>
      </article>
    );
  }
  if (passkeyFor !== undefined) return <PasskeyCard {...{ page, title, isBusy, onContinue }} />;
  if (codeFor !== undefined) return <CodeCard {...{ title, isBusy, onCode }} />;
  return (
    <article class="card" aria-label={title}>
      {/* Changes with the QR: the browser loads it again. */}
      <img
        class="qr"
        src={`/pages/${encodeURIComponent(id)}/qr.svg?${hashOf(qr ?? '')}`}
        alt={`QR of page ${id.slice(0, 4)}`}
      />
      <div>
        <h4>{title}</h4>
        <p>It shows this QR.</p>
        <button type="button" disabled={isBusy} onClick={() => qr && onScan(qr)}>
          Scan<span class="unseen"> the QR of page {id.slice(0, 4)}</span>
        </button>
      </div>
    </article>
  );
}

function CodeCard(props: { readonly title: string; readonly isBusy: boolean; onCode(code: string): void }) {
  const { title, isBusy, onCode } = props;
  const [code, setCode] = useState('');
  const send = (event: Event) => {
    event.preventDefault();
    if (code.trim() !== '') onCode(code.trim());
  };
  return (
    <article class="card" aria-label={title}>
      <form onSubmit={send}>
        <h4>{title}</h4>
        <label for={`code-${title}`}>It shows a pairing code for this phone. Type it here:</label>
        <div class="line">
          <input
            id={`code-${title}`}
            class="code"
            autoComplete="off"
            spellcheck={false}
            maxLength={20}
            placeholder="ABCD1234"
            value={code}
            onInput={({ currentTarget }) => setCode(currentTarget.value)}
          />
          <button type="submit" disabled={isBusy}>
            Link
          </button>
        </div>
      </form>
    </article>
  );
}

interface PasskeyCardProps {
  readonly page: WaitingPage;
  readonly title: string;
  readonly isBusy: boolean;
  onContinue(): void;
}

function PasskeyCard({ page: { passkeyScreen, verificationCode }, title, isBusy, onContinue }: PasskeyCardProps) {
  return (
    <article class="card" aria-label={title}>
      <div>
        <h4>{title}</h4>
        {passkeyScreen === 'waiting_for_phone' ? (
          <>
            <p>It has shown the passkey, and waits for this phone.</p>
            <button type="button" disabled={isBusy} onClick={onContinue}>
              Continue
            </button>
          </>
        ) : passkeyScreen === 'code_matching' ? (
          <p>
            Compare the code with that of the page, and confirm it there: <strong>{verificationCode}</strong>
          </p>
        ) : (
          <p>
            It asks for the passkey of this account, which only its owner can show: in a browser window, with{' '}
            <code>npm run link</code>. To link it without one, switch the passkey off below, and restart the session for
            a new QR.
          </p>
        )}
      </div>
    </article>
  );
}

function DeviceCard(props: { readonly device: LinkedDevice; readonly isBusy: boolean; onUnlink(): void }) {
  const { device, isBusy, onUnlink } = props;
  const { id, linkedAt, online } = device;
  const at = new Date(linkedAt);
  const title = `Device ${id.slice(0, 4)}`;
  return (
    <article class="card" aria-label={title}>
      <div>
        <h4>{title}</h4>
        <p>
          {online ? 'Online' : 'Offline'}, linked since{' '}
          <time dateTime={linkedAt} title={showFull(at)}>
            {showWhen(at)}
          </time>
        </p>
      </div>
      <button type="button" class="quiet" disabled={isBusy} onClick={onUnlink}>
        Unlink<span class="unseen"> device {id.slice(0, 4)}</span>
      </button>
    </article>
  );
}

/** Short, for an address. */
function hashOf(text: string): string {
  let hash = 0;
  for (const letter of text) hash = (hash * 31 + letter.charCodeAt(0)) | 0;
  return String(hash >>> 0);
}
