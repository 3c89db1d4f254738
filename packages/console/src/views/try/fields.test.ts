import { examples, type Operation, type OperationName, operations } from '@chat-web/protocol';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { callOf, type Draft, writtenExample } from './draft.ts';
import { fieldsOf } from './fields.ts';
import { operationGroups } from './operation-groups.ts';

const draftOf = (values: Record<string, string>): Draft => ({ values, file: undefined, json: undefined });
const rows = Object.entries<Operation>(operations);

describe('the form of an operation', () => {
  it('has the fields of its variant, with their requirements', () => {
    const { sendMessage } = operations;
    const text = fieldsOf(sendMessage.body, {});
    expect(text.map(({ name, kind, isRequired }) => [name, kind, isRequired])).toEqual([
      ['type', 'choice', true],
      ['to', 'text', true],
      ['body', 'long', true],
      ['quotedMessageId', 'text', false],
      ['mentions', 'lines', false],
      ['mentionAll', 'flag', false],
      ['linkPreview', 'flag', false],
    ]);
    expect(text[0]?.options).toEqual([
      ...['text', 'image', 'video', 'audio', 'document', 'sticker', 'location', 'contact', 'poll', 'reaction'],
    ]);
    const poll = fieldsOf(sendMessage.body, { type: 'poll' });
    expect(poll.slice(3).map(({ name, kind }) => `${name} ${kind}`)).toEqual([
      ...['question text', 'options lines', 'multiple flag'],
    ]);
    expect(text[1]?.hint).toMatch(/^\+<digits>, /);
    expect(text[3]?.hint).toBe('must be a message id as an answer or an event gave it');
    const image = fieldsOf(sendMessage.body, { type: 'image' });
    expect(image.map(({ name, kind }) => `${name} ${kind}`)).toEqual([
      ...['type choice', 'to text', 'url text', 'base64 file', 'mimeType text', 'filename text', 'caption long'],
      ...['quotedMessageId text', 'mentions lines', 'mentionAll flag', 'voice flag', 'gif flag', 'viewOnce flag'],
    ]);
    expect(fieldsOf(operations.createKey.body, {}).map(({ kind }) => kind)).toEqual([
      'text',
      'lines',
      'choice',
      'text',
    ]);
    expect(fieldsOf(operations.deleteMessage.body, {}).map(({ kind }) => kind)).toEqual(['flag']);
  });

  it.each(rows)('of %s makes the body of each of its examples', (name, operation) => {
    for (const { path, query = {}, body } of Object.values(examples[name as OperationName])) {
      const { base64, ...rest } = body ?? {};
      const call = callOf(operation, draftOf(writtenExample({ ...path, ...query, ...rest })));
      expect(call.path).toEqual(path);
      expect(call.query).toEqual(query);
      expect(call.body ?? {}).toEqual(rest);
      if (operation.body && base64 === undefined) expect(v.is(operation.body, call.body)).toBe(true);
    }
  });

  it.each(rows)('of %s has an input for each part of its path', (_, { path, params }) => {
    const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name);
    expect(fieldsOf(params, {}).map(({ name }) => name)).toEqual(names);
  });

  it('omits empty values, unless they are required', () => {
    const { sendMessage, startSession } = operations;
    const values = { id: ' main ', type: 'reaction', messageId: 'true_a@c.us_B' };
    expect(callOf(sendMessage, draftOf(values)).body).toEqual({
      type: 'reaction',
      messageId: values.messageId,
      emoji: '',
    });
    expect(callOf(startSession, draftOf({ id: 'main' }))).toMatchObject({ path: { id: 'main' }, body: undefined });
    expect(callOf(startSession, draftOf({ id: 'main', takeBack: 'true' })).body).toEqual({ takeBack: true });
  });

  it('accepts a body as JSON', () => {
    const json = (text: string) => callOf(operations.editMessage, { ...draftOf({}), json: text });
    expect(json('{"body": "a", "more": 1}').body).toEqual({ body: 'a', more: 1 });
    expect(() => json('{')).toThrow('the body is not valid JSON');
    expect(() => json('[]')).toThrow('the body must be an object of JSON');
  });

  it('accepts a file, and then no url', () => {
    const file = new File(['x'], 'a.png');
    const values = { id: 'main', type: 'image', to: '1', url: 'https://a.example/b.png' };
    const call = callOf(operations.sendMessage, { ...draftOf(values), file });
    expect(call).toMatchObject({ body: { type: 'image', to: '1' }, file });
    expect(callOf(operations.sendMessage, { ...draftOf({ ...values, type: 'text' }), file }).file).toBeUndefined();
  });
});

describe('the list of operations', () => {
  it('has each allowed operation once', () => {
    const names = operationGroups(() => true).flatMap((group) => group.names);
    expect(names.toSorted()).toEqual(Object.keys(operations).toSorted());
    const groups = operationGroups((name) => operations[name].scope === 'read');
    expect(groups.map(({ title }) => title)).toEqual([
      ...['Messages', 'Contacts', 'Chats', 'Groups', 'Status feed', 'Sessions', 'Labels', 'Account', 'Channels'],
      'Keys',
    ]);
    expect(groups[0]?.names).toContain('getMedia');
    expect(groups[0]?.names).not.toContain('sendMessage');
  });
});
