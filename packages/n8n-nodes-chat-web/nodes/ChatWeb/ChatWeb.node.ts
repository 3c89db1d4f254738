import {
  type IDataObject,
  type IExecuteFunctions,
  type INodeExecutionData,
  type INodeType,
  type INodeTypeDescription,
  type JsonObject,
  jsonParse,
  NodeApiError,
  NodeConnectionTypes,
} from 'n8n-workflow';
import type { operations } from './api.ts';
import { type GatewayRequest, idempotencyKey, path, request } from './gateway.ts';
import { searchChats, searchSessions } from './lists.ts';
import { properties } from './properties.ts';

type Sendable = operations['sendMessage']['requestBody']['content']['application/json'];
type Reader = <T>(name: string) => T;

export class ChatWeb implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Chat-Web',
    name: 'chatWeb',
    icon: { light: 'file:../../icons/chat-web.svg', dark: 'file:../../icons/chat-web.dark.svg' },
    group: ['output'],
    version: 1,
    subtitle: '={{ $parameter["operation"] }}',
    description: 'Send and change WhatsApp messages through a chat-web gateway',
    defaults: { name: 'Chat-Web' },
    inputs: [NodeConnectionTypes.Main],
    outputs: [NodeConnectionTypes.Main],
    usableAsTool: true,
    credentials: [{ name: 'chatWebApi', required: true }],
    properties,
  };

  methods = { listSearch: { searchSessions, searchChats } };

  async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
    const answers: INodeExecutionData[] = [];
    for (const item of this.getInputData().keys()) {
      try {
        answers.push(...(await answersTo(this, item)));
      } catch (error) {
        if (!this.continueOnFail()) throw new NodeApiError(this.getNode(), error as JsonObject, { itemIndex: item });
        const { message, description } = error as { message: string; description?: string };
        const [code] = /^\w+(?=: )/.exec(message) ?? [];
        answers.push({ json: { error: message, code, description }, pairedItem: { item } });
      }
    }
    return [answers];
  }
}

async function answersTo(context: IExecuteFunctions, item: number): Promise<INodeExecutionData[]> {
  const get: Reader = (name) => context.getNodeParameter(name, item, '', { extractValue: true }) as never;
  const pairedItem = { item };
  if (get('operation') === 'download') {
    const asked = { method: 'GET', path: mediaPath(get('session'), get('messageId')), isFile: true } as const;
    const { body, headers } = await request(context, { ...asked, itemIndex: item });
    const [mimeType, name] = [headers['content-type'], nameIn(String(headers['content-disposition'] ?? ''))];
    const file = await context.helpers.prepareBinaryData(Buffer.from(body as Buffer), name, String(mimeType));
    return [{ json: { messageId: get('messageId') }, binary: { [get<string>('binaryProperty')]: file }, pairedItem }];
  }
  const { body } = await request(context, { ...(await requestOf(context, item, get)), itemIndex: item });
  const rows = Array.isArray(body) ? body : [body];
  const jsonOf = (row: unknown) => (typeof row === 'object' && row !== null ? row : { data: row }) as IDataObject;
  return rows.map((row) => ({ json: jsonOf(row), pairedItem }));
}

export function mediaPath(session: string, messageId: string): string {
  return path`/sessions/${session}/messages/${messageId}/media`;
}

/** The name of a file in a header; undefined if it has none. */
export function nameIn(disposition: string): string | undefined {
  const [, encoded] = /filename\*=UTF-8''([^;]+)/i.exec(disposition) ?? [];
  if (encoded !== undefined) return decoded(encoded);
  const [, quoted, plain] = /filename=(?:"((?:\\.|[^"\\])*)"|([^;\s]+))/i.exec(disposition) ?? [];
  return quoted?.replace(/\\(.)/g, '$1') ?? plain;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

async function requestOf(context: IExecuteFunctions, item: number, get: Reader): Promise<GatewayRequest> {
  const keyed = (body: unknown) => ({ 'Idempotency-Key': idempotencyKey(context, item, body) });
  // Only what is shown can be read.
  if (get('operation') === 'call') {
    const raw = rawRequest(get);
    return { ...raw, headers: keyed(raw) };
  }
  const session = get<string>('session');
  const ofMessage = (end: string) => `${path`/sessions/${session}/messages/${get<string>('messageId')}`}/${end}`;
  switch (get<string>('operation')) {
    case 'edit':
      return { method: 'POST', path: ofMessage('edit'), body: { body: get('body') }, headers: keyed(get('body')) };
    case 'delete':
      return { method: 'POST', path: ofMessage('delete'), body: { forEveryone: true } };
    case 'forward':
      return {
        method: 'POST',
        path: ofMessage('forward'),
        body: { to: get('to') },
        headers: keyed([get('to'), get('messageId')]),
      };
    default: {
      const body = (await sendable(context, item, get)) as unknown as IDataObject;
      return { method: 'POST', path: path`/sessions/${session}/messages`, body, headers: keyed(body) };
    }
  }
}

function rawRequest(get: Reader): GatewayRequest {
  const method = get<'GET' | 'POST' | 'PUT' | 'DELETE'>('method');
  const asked = { method, path: get<string>('path') };
  if (method !== 'POST' && method !== 'PUT') return asked;
  const written = get<string | IDataObject>('rawBody');
  return { ...asked, body: typeof written === 'string' ? jsonParse<IDataObject>(written || '{}') : written };
}

async function sendable(context: IExecuteFunctions, item: number, get: Reader): Promise<Sendable> {
  const operation = get<string>('operation');
  if (operation === 'react') return { type: 'reaction', messageId: get('messageId'), emoji: get('emoji') };
  const to = get<string>('to');
  const { caption, voice, quotedMessageId, ...rest } = (get<IDataObject | ''>('options') || {}) as {
    caption?: string;
    voice?: boolean;
    quotedMessageId?: string;
    markRead?: boolean;
  };
  const options = { ...rest, ...(quotedMessageId ? { quotedMessageId } : {}) };
  switch (operation) {
    case 'sendText':
      return { type: 'text', to, body: get('body'), ...options };
    case 'sendMedia': {
      const binaryProperty = get<string>('binaryProperty');
      const { fileName, mimeType } = context.helpers.assertBinaryData(item, binaryProperty);
      const bytes = await context.helpers.getBinaryDataBuffer(item, binaryProperty);
      const file = { base64: bytes.toString('base64'), mimeType, filename: fileName };
      const type = get<'image'>('kind');
      return {
        type,
        to,
        ...file,
        ...options,
        ...(caption ? { caption } : {}),
        ...(voice === undefined ? {} : { voice }),
      };
    }
    case 'sendLocation':
      return { type: 'location', to, latitude: get('latitude'), longitude: get('longitude'), ...options };
    case 'sendContact':
      return {
        type: 'contact',
        to,
        contacts: [{ name: get('contactName'), number: get('contactNumber') }],
        ...options,
      };
    default:
      return {
        type: 'poll',
        to,
        question: get('question'),
        options: get('pollOptions'),
        multiple: get('multiple'),
        ...options,
      };
  }
}
