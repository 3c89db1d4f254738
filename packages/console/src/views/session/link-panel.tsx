import { listen, type SessionView } from '@chat-web/host';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { connection, mayCall } from '../../connection.ts';
import { whileVisible } from '../../live/while-visible.ts';
import { Failure, useAction } from '../../parts/action.tsx';
import { Time } from '../../parts/time.tsx';

type Shown =
  | { readonly is: 'qr'; readonly png: string }
  | { readonly is: 'code'; readonly code: string; readonly expiresAt: string };

/** Links a session: its QR, always the newest one, or a code for the phone. */
export function LinkPanel({ session: { id, reason } }: { readonly session: SessionView }) {
  const shown = useSignal<Shown | undefined>(undefined);
  const isAllowed = mayCall('getQr');
  useEffect(() => {
    if (!isAllowed) return;
    return whileVisible((signal) => {
      void followLink(id, signal, (next) => {
        shown.value = next;
      });
    });
  }, [id, isAllowed, shown]);
  const { value } = shown;
  return (
    <section aria-labelledby="link">
      <h2 id="link">Link the account</h2>
      {reason === 'PASSKEY_REQUIRED' ? (
        <p>No QR is shown in the meantime.</p>
      ) : isAllowed ? (
        <div class="link">
          <div class="qr">
            {value?.is === 'qr' && <img src={value.png} alt={`QR that links ${id}: scan it with the phone`} />}
            {value?.is === 'code' && (
              <p class="code">
                <span class="soft">Type on the phone</span>
                <strong>{value.code.replace(/^(.{4})/, '$1-')}</strong>
                <span class="soft">
                  It expires <Time at={value.expiresAt} />, and is renewed.
                </span>
              </p>
            )}
            {value === undefined && <p role="status">Waiting for the QR …</p>}
          </div>
          <PairingCodeForm id={id} />
        </div>
      ) : (
        <p>Your key cannot show QRs, because a scan links an account. This needs the scope manage.</p>
      )}
    </section>
  );
}

/** Passes on each QR and code of a session until the signal aborts. */
async function followLink(id: string, signal: AbortSignal, show: (shown: Shown | undefined) => void): Promise<void> {
  const { address } = connection();
  const events = listen(address, {
    sessions: id,
    events: ['qr', 'pairing_code'],
    signal,
    onError: () => {},
    onDisconnect: () => show(undefined),
  });
  try {
    for await (const event of events) {
      if (event.name === 'qr') show({ is: 'qr', png: event.data });
      if (event.name === 'pairing_code') show({ is: 'code', ...event.data });
    }
  } catch {
    show(undefined); // The session was deleted, or the key is no longer valid: the list shows that.
  }
}

function PairingCodeForm({ id }: { readonly id: string }) {
  const number = useSignal('');
  const action = useAction(() => connection().client.requestPairingCode({ id, phoneNumber: number.value.trim() }));
  return (
    <form
      class="pairing"
      onSubmit={(event) => {
        event.preventDefault();
        void action.run();
      }}
    >
      <p>
        Without a camera: ask for a code, and type it into the phone (Settings, Linked devices, Link a device, Link with
        phone number instead).
      </p>
      <label>
        Number of the phone
        <input
          type="tel"
          placeholder="+12025550101"
          autocomplete="off"
          required
          value={number}
          onInput={(event) => {
            number.value = event.currentTarget.value;
          }}
        />
      </label>
      <button type="submit" aria-disabled={action.isBusy.value}>
        {action.isBusy.value ? 'Asking …' : 'Get a code'}
      </button>
      <Failure error={action.failure.value} />
    </form>
  );
}
