import { Collection } from '../collection.ts';
import { Model } from '../model.ts';
import type { WireLabel } from '../wire.ts';
import type { Chat } from './chat.ts';

interface LabelAttributes {
  id: string;
  name: string;
  colorIndex: number;
  type: number;
}

/** The lists that the page keeps among the labels, by the type of each. */
const LISTS = { Unread: 1, Groups: 2, Favorites: 3 };
const CUSTOM = 5;

class Label extends Model<LabelAttributes> {
  static override readonly props = ['id', 'name', 'colorIndex', 'type'];
}

export interface LabelAction {
  readonly id: string;
  readonly type: 'add' | 'remove';
}

export const labels = new Collection<Label>(Label);

/** Replaces them by those of the account. */
export function replaceLabels(all: readonly WireLabel[]): void {
  for (const label of labels.getModelsArray()) labels.remove(label);
  for (const label of all) labels.add(new Label({ ...label, type: CUSTOM }));
  for (const [name, type] of Object.entries(LISTS))
    labels.add(new Label({ id: `10${type}`, name, colorIndex: 0, type }));
}

/** The labels of a chat after some actions. */
export function labelsAfter(chat: Chat, actions: readonly LabelAction[]): string[] {
  const after = new Set(chat.get('labels'));
  for (const { id, type } of actions) after[type === 'add' ? 'add' : 'delete'](id);
  return [...after];
}
