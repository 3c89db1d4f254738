import { isWorkerOperation, type Operation, type OperationName, operations } from '@chat-web/protocol';

/** Operations on the same kind of thing. */
export interface OperationGroup {
  readonly title: string;
  readonly names: readonly OperationName[];
}

/** Where the path does not say it well. */
const TITLES: Readonly<Record<string, string>> = { status: 'Status feed', 'pairing-code': 'Sessions', access: 'Keys' };
/** What people try comes first, in this order; further groups follow. */
const FIRST = ['Messages', 'Contacts', 'Chats', 'Groups', 'Status feed', 'Sessions'];

/** The row of an operation. */
export function rowOf(name: OperationName): Operation {
  return operations[name];
}

/** The operations that `isAllowed` lets through, by what their paths are about. A new row of the table is among them. */
export function operationGroups(isAllowed: (name: OperationName) => boolean): readonly OperationGroup[] {
  const groups = new Map<string, OperationName[]>(FIRST.map((title) => [title, []]));
  for (const name of Object.keys(operations) as OperationName[]) {
    if (!isAllowed(name)) continue;
    const title = titleOf(name);
    groups.set(title, [...(groups.get(title) ?? []), name]);
  }
  return [...groups].filter(([, names]) => names.length > 0).map(([title, names]) => ({ title, names }));
}

function titleOf(name: OperationName): string {
  const [first = '', , third = first] = rowOf(name).path.split('/').slice(1);
  const segment = isWorkerOperation(name) ? third : first;
  return TITLES[segment] ?? segment.charAt(0).toUpperCase() + segment.slice(1);
}

/** True if it cannot be taken back: it is asked for once more. */
export function isFinal({ method, archive }: Operation): boolean {
  return method === 'DELETE' || archive === 'answered';
}
