import type { ListedPhone } from '../api.ts';
import { showNumber } from './format.ts';
import { Avatar, Unread } from './parts.tsx';
import { linkTo } from './route.ts';
import type { View } from './view.ts';

/** As many as the simulator lists. */
const MAX_LISTED = 200;

interface PhoneListProps {
  readonly view: View;
  readonly search: string;
  onSearch(search: string): void;
}

/** All phones, and whether a page can be linked. */
export function PhoneList({ view: { phones, route, waiting }, search, onSearch }: PhoneListProps) {
  return (
    <nav class="phones" aria-labelledby="phones">
      <header>
        <h2 id="phones" tabIndex={-1} data-focus>
          Phones
        </h2>
      </header>
      <label class="field">
        <span class="unseen">Find a phone by name or number</span>
        <input
          type="search"
          placeholder="Find by name or number"
          value={search}
          onInput={({ currentTarget }) => onSearch(currentTarget.value)}
        />
      </label>
      <ul class="list">
        {phones.map((phone) => (
          <li key={phone.number}>
            <PhoneLink phone={phone} isOpen={phone.number === route.number} />
          </li>
        ))}
      </ul>
      {phones.length === 0 && <p class="hint">No phone has this name or number.</p>}
      {phones.length === MAX_LISTED && <p class="hint">Only {MAX_LISTED} phones are listed. Find others by name.</p>}
      {/* Below the list: a link in it stays where it is while someone aims at it. */}
      <div role="status">
        {waiting.length > 0 && (
          <p class="notice">
            {waiting.length === 1 ? 'A page waits' : `${waiting.length} pages wait`} to be linked.{' '}
            {route.number === undefined ? (
              'Choose the phone that links it.'
            ) : (
              <a href={linkTo({ number: route.number, devices: true })}>Link with this phone</a>
            )}
          </p>
        )}
      </div>
    </nav>
  );
}

function PhoneLink({ phone, isOpen }: { readonly phone: ListedPhone; readonly isOpen: boolean }) {
  const { number, name, online, devices, unread } = phone;
  return (
    <a href={linkTo({ number })} aria-current={isOpen ? 'true' : undefined}>
      <Avatar name={name} />
      <bdi class="name">{name}</bdi>
      <Unread count={unread} />
      <small>
        {showNumber(number)}
        {devices > 0 && ` · ${devices === 1 ? 'linked' : `${devices} linked`}`}
        {!online && ' · off'}
      </small>
    </a>
  );
}
