import { expect, it } from 'vitest';
import { Collection } from './collection.ts';
import { Model } from './model.ts';

interface NoteAttributes {
  id: string;
  text: string;
  stars: number;
}

class Note extends Model<NoteAttributes> {
  static override readonly props = ['id', 'text', 'stars'];
}

it('emits each change with the old value, then one for all, after every value is set', () => {
  const note = new Note({ id: 'a', text: 'old', stars: 1 });
  const events: unknown[] = [];
  note.on('change:text', (model: Note, value: string, previous: string) => {
    events.push([value, previous, model.get('stars')]);
  });
  note.on('change', () => events.push('change'));
  note.set({ text: 'new', stars: 5 });
  expect(events).toEqual([['new', 'old', 5], 'change']);
});

it('emits nothing when nothing changes', () => {
  const note = new Note({ id: 'a', text: 'same' });
  note.on('change change:text', () => expect.unreachable());
  note.set({ text: 'same' });
});

it('exposes its attributes as properties, and keeps unknown values apart', () => {
  const withUnknown: object = { id: 'a', text: 'one', colour: 'red' };
  const note = new Note(withUnknown) as Note & NoteAttributes;
  note.text = 'two';
  expect(note.serialize()).toEqual({ id: 'a', text: 'two' });
  expect(note).toHaveProperty('colour', 'red');
});

it('copies its attributes when it is spread, and accepts those of another in their order', () => {
  const [first, second] = [new Note({ id: 'a', text: 'one' }), new Note({ text: 'two' })];
  expect({ ...first }).toEqual({ __x_id: 'a', __x_text: 'one' });
  expect(new Note({ ...first, ...second.serialize() }).serialize()).toEqual({ id: 'a', text: 'two' });
  expect(new Note(Object.assign({ id: 'b' }, { __x_id: undefined })).get('id')).toBeUndefined();
});

it('accepts listeners for several events in one string, and for one call', () => {
  const note = new Note({ id: 'a', text: 'one', stars: 0 });
  const events: unknown[] = [];
  note.on('change:text change:stars', (_note: Note, value: unknown) => events.push(value));
  note.once('change:stars', () => events.push('once'));
  note.set({ text: 'two', stars: 1 }).set({ stars: 2 });
  expect(events).toEqual(['two', 1, 'once', 2]);
});

it('does not call a removed listener', () => {
  const note = new Note({ id: 'a' });
  const listener = () => expect.unreachable();
  note.on('change', listener).off('change', listener).set({ text: 'x' });
});

it('forwards its events to its collection, which emits `add` once the member is in it', () => {
  const notes = new Collection<Note>(Note);
  const events: unknown[] = [];
  notes.on('add', (note: Note) => events.push(notes.get('a') === note));
  notes.on('change:text', (_note: Note, text: string) => events.push(text));
  const note = notes.add(new Note({ id: 'a', text: 'one' }));
  note.set({ text: 'two' });
  notes.remove(note);
  note.set({ text: 'three' });
  expect(events).toEqual([true, 'two']);
  expect(notes.get({ toString: () => 'a' })).toBeUndefined();
});

it('keeps its place in a collection, which keeps the first of two with one id', () => {
  const notes = new Collection<Note>(Note);
  for (const id of ['b', 'c', 'b']) notes.add(new Note({ id }));
  notes.add(new Note({ id: 'a' }), 0);
  expect(notes.getModelsArray().map((note) => note.get('id'))).toEqual(['a', 'b', 'c']);
  expect(notes.get(undefined)).toBeUndefined();
});
