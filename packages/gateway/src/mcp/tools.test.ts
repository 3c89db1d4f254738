import { expect, it } from 'vitest';
import { agentTools } from './tools.ts';

const tools = [...agentTools().values()];

it('offers reading and writing tools, and none that administers anything', () => {
  const namesOf = (scope: string) => tools.filter((tool) => tool.scope === scope).map(({ name }) => name);
  expect(new Set(tools.map(({ scope }) => scope))).toEqual(new Set(['read', 'send']));
  expect(namesOf('send').sort()).toEqual([
    'edit_message',
    'forward_message',
    'mark_chat_read',
    'react',
    'send_location',
    'send_media',
    'send_poll',
    'send_text',
  ]);
  expect(namesOf('read')).toHaveLength(16);
});

// Some providers of models refuse others.
it('has schemas of plain objects', () => {
  for (const { name, inputSchema } of tools) {
    expect(name).toMatch(/^[a-z_]{3,30}$/);
    expect(Object.keys(inputSchema).sort()).toEqual(['additionalProperties', 'properties', 'required', 'type']);
    expect(Object.keys(inputSchema.properties)).toEqual(expect.arrayContaining([...inputSchema.required]));
  }
});

it('lets no tool fetch a URL', () => {
  for (const { inputSchema } of tools) expect(inputSchema.properties).not.toHaveProperty('url');
});

it('requires an id of each call that sends', () => {
  for (const { inputSchema, operation } of tools)
    expect(inputSchema.required.includes('requestId')).toBe(operation.keyed !== undefined);
});

it('makes the input of the operation', () => {
  const given = { session: 'main', to: '12025550102', body: 'Hello', requestId: '1' };
  expect(agentTools().get('send_text')?.inputOf(given)).toEqual({
    id: 'main',
    type: 'text',
    to: '12025550102',
    body: 'Hello',
  });
  expect(agentTools().get('find_chats')?.inputOf({ session: 'main' })).toEqual({ id: 'main', limit: 50 });
});
