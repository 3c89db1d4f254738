import type { OperationName } from '@chat-web/protocol';
import { goTo, hrefTo } from '../../route.ts';
import type { OperationGroup } from './operation-groups.ts';

interface ListProps {
  readonly groups: readonly OperationGroup[];
  readonly chosen: OperationName;
}

/** Selects an operation: a list if there is room, otherwise a select field. */
export function OperationList({ groups, chosen }: ListProps) {
  return (
    <div class="operations">
      <label class="narrow">
        Operation
        <select value={chosen} onChange={(event) => goTo('try', event.currentTarget.value)}>
          {groups.map(({ title, names }) => (
            <optgroup key={title} label={title}>
              {names.map((name) => (
                <option key={name}>{name}</option>
              ))}
            </optgroup>
          ))}
        </select>
      </label>
      <nav class="wide" aria-label="Operations">
        {groups.map(({ title, names }) => (
          <div key={title}>
            <h2>{title}</h2>
            <ul>
              {names.map((name) => (
                <li key={name}>
                  <a href={hrefTo('try', name)} aria-current={name === chosen ? 'page' : undefined}>
                    {name}
                  </a>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </nav>
    </div>
  );
}
