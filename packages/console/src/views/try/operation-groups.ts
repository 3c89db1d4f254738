import {
  operationGroups as groupedOperations,
  type Operation,
  type OperationName,
  operations,
} from '@chat-web/protocol';

/** Operations on the same kind of resource. */
export interface OperationGroup {
  readonly title: string;
  readonly names: readonly OperationName[];
}

/** The usual ones come first, in this order; further groups follow. */
const FIRST = ['Messages', 'Contacts', 'Chats', 'Groups', 'Status feed', 'Sessions'];

/** The row of an operation. */
export function rowOf(name: OperationName): Operation {
  return operations[name];
}

/** The operations that `isAllowed` permits, in the groups of the reference. New rows of the table are included. */
export function operationGroups(isAllowed: (name: OperationName) => boolean): readonly OperationGroup[] {
  const groups = Object.entries(groupedOperations).map(([title, group]) => ({
    title,
    names: (Object.keys(group) as OperationName[]).filter(isAllowed),
  }));
  const rank = ({ title }: OperationGroup) => (FIRST.includes(title) ? FIRST.indexOf(title) : FIRST.length);
  return groups.filter(({ names }) => names.length > 0).sort((one, other) => rank(one) - rank(other));
}

/** True if it cannot be undone: it needs a confirmation. */
export function isFinal({ method, path, archive }: Operation): boolean {
  return method === 'DELETE' || archive === 'answered' || path.endsWith('/logout');
}
