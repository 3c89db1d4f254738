import type { ComponentChildren } from 'preact';

interface TableProps {
  readonly titles: readonly string[];
  readonly kind?: string;
  /** True if each row begins with a checkbox. */
  readonly hasChoices?: boolean;
  /** True if each row ends with buttons. */
  readonly hasActions?: boolean;
  /** Its rows, whose cells have the titles as `data-title`: on narrow screens each row is a card. */
  readonly children: ComponentChildren;
}

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

export interface Column<T> {
  readonly title: string;
  /** Its cells: the name of the row, or cells of a class such as `short`. */
  readonly kind?: 'name' | 'short' | 'what';
  of(row: T): ComponentChildren;
}

interface RecordsProps<T> {
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  keyOf(row: T): string;
  /** The buttons at the end of a row. */
  actions?(row: T): ComponentChildren;
}

export function Records<T>({ columns, rows, keyOf, actions }: RecordsProps<T>) {
  return (
    <Table titles={columns.map(({ title }) => title)} hasActions={actions !== undefined}>
      {rows.map((row) => (
        <tr key={keyOf(row)}>
          {columns.map(({ title, kind, of }) =>
            kind === 'name' ? (
              <th key={title} scope="row">
                {of(row)}
              </th>
            ) : (
              <td key={title} data-title={title} class={kind}>
                {of(row)}
              </td>
            ),
          )}
          {actions && <td class="action">{actions(row)}</td>}
        </tr>
      ))}
    </Table>
  );
}
