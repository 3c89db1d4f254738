import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';
import type { operations } from './api.ts';
import { path, request } from './gateway.ts';

type Answer<N extends keyof operations> = operations[N] extends {
  responses: { 200: { content: { 'application/json': infer A } } };
}
  ? A
  : never;

const PAGE = 50;

export async function searchSessions(this: ILoadOptionsFunctions, search = ''): Promise<INodeListSearchResult> {
  const { body } = await request(this, { method: 'GET', path: '/sessions' });
  const { sessions } = body as unknown as Answer<'listSessions'>;
  const found = sessions.filter(({ id }) => id.toLowerCase().includes(search.toLowerCase()));
  return { results: found.map(({ id, status }) => ({ name: `${id} (${status})`, value: id })) };
}

export async function searchChats(
  this: ILoadOptionsFunctions,
  search?: string,
  after?: string,
): Promise<INodeListSearchResult> {
  const session = this.getNodeParameter('session', '', { extractValue: true }) as string;
  if (session === '') return { results: [] };
  const query = { limit: PAGE, ...(search?.trim() ? { search } : {}), ...(after ? { after } : {}) };
  const { body } = await request(this, { method: 'GET', path: path`/sessions/${session}/chats`, query });
  const chats = body as unknown as Answer<'listChats'>;
  return {
    results: chats.map(({ id, name }) => ({ name: name || id, value: id })),
    paginationToken: chats.length < PAGE ? undefined : chats.at(-1)?.id,
  };
}
