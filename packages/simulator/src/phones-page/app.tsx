import { useEffect, useRef, useState } from 'preact/hooks';
import { ChatList } from './chat-list.tsx';
import { ChatPane } from './chat-pane.tsx';
import { DevicesPane } from './devices-pane.tsx';
import { useLive } from './hooks.ts';
import { PhoneList } from './phone-list.tsx';
import { linkTo, type Route, useRoute } from './route.ts';
import { loadView, type View } from './view.ts';

const MESSAGES_AT_ONCE = 100;

/** The whole page: the phones, the chats of one, and one chat or its linked devices, side by side where there is room. */
export function App() {
  const route = useRoute();
  const address = linkTo(route);
  const [search, setSearch] = useState('');
  // Starts again with each chat.
  const [earlier, setEarlier] = useState({ address, count: 0 });
  const limit = MESSAGES_AT_ONCE * (1 + (earlier.address === address ? earlier.count : 0));
  const live = useLive(`${address} ${limit} ${search}`, () => loadView(route, search, limit));
  const view = live.value;
  useFocusOnNavigation(view?.route);
  useEffect(() => {
    document.title = titleOf(view);
  }, [view]);

  const showEarlier = () => setEarlier({ address, count: limit / MESSAGES_AT_ONCE });
  return (
    <main class={`columns at-${levelOf(view?.route)}`}>
      <h1 class="unseen">Phones of the simulator</h1>
      <div class="notices" role="alert">
        {live.lost && (
          <p class="lost">
            The simulator does not answer. If it has ended, start it again on the same port: this page tries every half
            second, and reconnects automatically.
          </p>
        )}
      </div>
      {view ? (
        <>
          <PhoneList view={view} search={search} onSearch={setSearch} />
          <PhonePanes view={view} limit={limit} showEarlier={showEarlier} refresh={live.refresh} />
        </>
      ) : (
        !live.lost && <p class="hint">Loading…</p>
      )}
    </main>
  );
}

interface PanesProps {
  readonly view: View;
  readonly limit: number;
  showEarlier(): void;
  refresh(): void;
}

function PhonePanes({ view, limit, showEarlier, refresh }: PanesProps) {
  const { route, phone, waiting } = view;
  if (!phone) {
    const hint = 'Choose a phone: each can scan a QR, and chat with the others.';
    return <p class="hint detail">{hint}</p>;
  }
  if ('problem' in phone) {
    return (
      <section class="detail middle" aria-labelledby="no-phone">
        <h2 id="no-phone" tabIndex={-1} data-focus>
          No such phone
        </h2>
        <p>{phone.problem} Phones that were added are gone after a restart of the simulator.</p>
        <p>
          <a href={linkTo({})}>Choose another phone</a>
        </p>
      </section>
    );
  }
  const { account } = phone;
  return (
    <>
      <ChatList phone={phone} view={view} />
      {route.chat !== undefined ? (
        <ChatPane
          key={linkTo(route)}
          phone={phone}
          limit={limit}
          showEarlier={showEarlier}
          refresh={refresh}
          chat={route.chat}
          phones={view.phones}
        />
      ) : route.devices ? (
        <DevicesPane key={account.number} account={account} waiting={waiting} refresh={refresh} />
      ) : (
        <p class="hint detail">Choose a chat, or the linked devices to scan a QR.</p>
      )}
    </>
  );
}

/** Which column a narrow window shows. */
function levelOf(route: Route | undefined): string {
  if (route?.number === undefined) return 'phones';
  return route.chat !== undefined || route.devices ? 'detail' : 'chats';
}

function titleOf(view: View | undefined): string {
  const unread = view?.phones.reduce((sum, phone) => sum + phone.unread, 0) ?? 0;
  const phone = view?.phone;
  const name = phone && 'account' in phone ? `${phone.account.name}'s phone` : 'Phones of the simulator';
  return unread > 0 ? `(${unread}) ${name}` : name;
}

/**
 * Moves the focus to the heading of what a link has opened, for screen readers; not at the first load, and not if the
 * focus was moved meanwhile: the content loads first, and the user may be typing already.
 */
function useFocusOnNavigation(route: Route | undefined): void {
  const address = route && linkTo(route);
  const last = useRef<string | undefined>(undefined);
  const focused = useRef<Element | null>(null);
  useEffect(() => {
    const remember = () => {
      focused.current = document.activeElement;
    };
    addEventListener('hashchange', remember);
    return () => removeEventListener('hashchange', remember);
  }, []);
  useEffect(() => {
    const isFirst = last.current === undefined;
    last.current = address;
    if (isFirst || route === undefined) return;
    const { activeElement } = document;
    const wasMoved = activeElement !== document.body && activeElement !== focused.current;
    if (!wasMoved) document.querySelector<HTMLElement>(`.${levelOf(route)} [data-focus]`)?.focus();
  }, [address]);
}
