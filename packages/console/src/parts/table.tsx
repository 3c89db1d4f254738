import type { ComponentChildren } from 'preact';

interface TableProps {
  readonly titles: readonly string[];
  /** An additional class. */
  readonly kind?: string;
  /** True if each row begins with a checkbox. */
  readonly hasChoices?: boolean;
  /** True if each row ends with buttons. */
  readonly hasActions?: boolean;
  /** Its rows, whose cells have the titles as `data-title`: on narrow screens each row is a card. */
  readonly children: ComponentChildren;
}

/** A table with a column for each title. */
export function Table({ titles, kind = '', hasChoices = false, hasActions = false, children }: TableProps) {
  return (
    <table class={`list ${kind}`}>
      <thead>
        <tr>
          {hasChoices && (
            <th scope="col">
              <span class="hidden">Selected</span>
            </th>
          )}
          {titles.map((title) => (
            <th key={title} scope="col">
              {title}
            </th>
          ))}
          {hasActions && (
            <th scope="col">
              <span class="hidden">Actions</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}
