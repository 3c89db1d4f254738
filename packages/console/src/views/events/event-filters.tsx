import type { EventName } from '@chat-web/host';
import { sessionPattern } from '@chat-web/protocol';
import { signal } from '@preact/signals';
import * as v from 'valibot';
import { signIn } from '../../connection.ts';
import { patternsIn } from '../../parts/format.ts';
import type { EventFilter } from './event-filter.ts';

interface FiltersProps {
  readonly filter: EventFilter;
  readonly names: readonly EventName[];
  readonly ids: readonly string[];
  onChange(filter: EventFilter): void;
}

export function EventFilters({ filter, names, ids, onChange }: FiltersProps) {
  const wrong = patternsIn(filter.sessions).find((pattern) => !v.is(sessionPattern, pattern));
  const isAll = filter.names.size === names.length;
  const toggle = (name: EventName) => {
    const chosen = new Set(filter.names);
    if (!chosen.delete(name)) chosen.add(name);
    onChange({ ...filter, names: chosen });
  };
  return (
    <search>
      <div class="filters">
        <label class="grow">
          Sessions to show
          <input
            list="sessions-to-choose"
            placeholder="all; or ids and patterns: main, shop-*"
            autocomplete="off"
            spellcheck={false}
            value={filter.sessions}
            onInput={({ currentTarget: { value } }) => onChange({ ...filter, sessions: value })}
          />
          <datalist id="sessions-to-choose">
            {ids.map((id) => (
              <option key={id} value={id} />
            ))}
          </datalist>
        </label>
        <label class="grow">
          Part of an id
          <input
            type="search"
            placeholder="of an event, a message or a person"
            autocomplete="off"
            spellcheck={false}
            value={filter.text}
            onInput={({ currentTarget: { value } }) => onChange({ ...filter, text: value })}
          />
        </label>
      </div>
      {wrong !== undefined && <p role="status">{wrong} is neither a session id nor a pattern such as shop-*.</p>}
      <fieldset class="groups names-of-events">
        <legend>Events</legend>
        {names.map((name) => (
          <label key={name} class="inline">
            <input type="checkbox" checked={filter.names.has(name)} onChange={() => toggle(name)} />
            {name}
          </label>
        ))}
        <button type="button" class="quiet" onClick={() => onChange({ ...filter, names: new Set(isAll ? [] : names) })}>
          {isAll ? 'None' : 'All'}
        </button>
      </fieldset>
    </search>
  );
}

/** Stored only in the tab. */
const KEPT = 'chat-web.contents';

export const contentsShown = signal(sessionStorage.getItem(KEPT) === 'shown');

/** The next person who signs in has not chosen to see them. */
signIn.subscribe(({ is }) => {
  if (is === 'signed-out') remember(false);
});

function remember(isShown: boolean): void {
  if (isShown) sessionStorage.setItem(KEPT, 'shown');
  else sessionStorage.removeItem(KEPT);
  contentsShown.value = isShown;
}

export function ContentsSwitch() {
  return (
    <label class="inline">
      <input
        type="checkbox"
        checked={contentsShown.value}
        onChange={({ currentTarget: { checked } }) => remember(checked)}
      />
      Show contents
    </label>
  );
}
