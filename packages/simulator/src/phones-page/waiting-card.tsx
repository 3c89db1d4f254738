import { useState } from 'preact/hooks';
import { showNumber } from './format.ts';
import { linkTo } from './route.ts';
import type { WaitingPage } from './view.ts';

interface WaitingCardProps {
  readonly page: WaitingPage;
  readonly number: string;
  readonly isBusy: boolean;
  onScan(qr: string): void;
  onCode(code: string): void;
  onContinue(): void;
}

/** A page that waits to be linked, and what the phone can do about it. */
export function WaitingCard({ page, number, isBusy, onScan, onCode, onContinue }: WaitingCardProps) {
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
  if (passkeyFor !== undefined)
    return <PasskeyCard page={page} title={title} isBusy={isBusy} onContinue={onContinue} />;
  if (codeFor !== undefined) return <CodeCard title={title} isBusy={isBusy} onCode={onCode} />;
  return (
    <article class="card" aria-label={title}>
      {/* Changes with the QR: the browser loads it again. */}
      <img
        class="qr"
        src={`/pages/${encodeURIComponent(id)}/qr.svg?${shortHash(qr ?? '')}`}
        alt={`QR of page ${id.slice(0, 4)}`}
      />
      <div>
        <h4>{title}</h4>
        <p>It shows this QR.</p>
        <button type="button" aria-disabled={isBusy} onClick={() => qr && onScan(qr)}>
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
          <button type="submit" aria-disabled={isBusy}>
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
            <button type="button" aria-disabled={isBusy} onClick={onContinue}>
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
            <code>chat-web link</code>. To link it without one, switch the passkey off below, and restart the session
            for a new QR.
          </p>
        )}
      </div>
    </article>
  );
}

/** Short, for an address. */
function shortHash(text: string): string {
  let hash = 0;
  for (const letter of text) hash = (hash * 31 + letter.charCodeAt(0)) | 0;
  return String(hash >>> 0);
}
