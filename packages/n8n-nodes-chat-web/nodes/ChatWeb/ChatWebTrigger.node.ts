import {
  type IDataObject,
  type IHookFunctions,
  type INodeExecutionData,
  type INodeType,
  type INodeTypeDescription,
  type IWebhookFunctions,
  type IWebhookResponseData,
  NodeConnectionTypes,
} from 'n8n-workflow';
import type { operations } from './api.ts';
import { mediaPath, nameIn } from './ChatWeb.node.ts';
import { path, request } from './gateway.ts';
import { isSigned } from './signature.ts';

type Webhooks = operations['listWebhooks']['responses'][200]['content']['application/json']['webhooks'];

/** What is stored of the webhook, with the workflow. */
interface Registered {
  webhookId?: string;
  secret?: string;
  /** Where the last one ended. */
  position?: string;
  /** Unix time in ms. */
  removedAt?: number;
}

/** n8n keeps the bytes of each request. */
interface WebhookRequest {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly rawBody?: Buffer;
}

type EventName = NonNullable<
  NonNullable<operations['createWebhook']['requestBody']>['content']['application/json']['events']
>[number];

const EVENTS = [
  ['Account Limited', 'limits'],
  ['Call', 'call'],
  ['Chat Updated', 'chat_updated'],
  ['Gap', 'gap'],
  ['Group Joined', 'group_joined'],
  ['Group Left', 'group_left'],
  ['Group Request', 'group_request'],
  ['Group Updated', 'group_updated'],
  ['Message', 'message'],
  ['Message Acknowledged', 'message_ack'],
  ['Message Deleted', 'message_revoked'],
  ['Message Edited', 'message_edited'],
  ['Message Reaction', 'message_reaction'],
  ['Message Sent From the Phone', 'message_sent'],
  ['Poll Vote', 'poll_vote'],
  ['Presence', 'presence'],
  ['Session Disconnected', 'disconnected'],
  ['Session Needs a Passkey', 'passkey_required'],
  ['Session Ready', 'ready'],
  ['Session Status', 'status'],
] as const satisfies readonly (readonly [string, EventName])[];

/** A workflow that is published again is deactivated for a moment: events of that time are not lost. */
const RESUME_MS = 10 * 60_000;
/** The gateway waits 15 s for the answer. */
const DOWNLOAD_MS = 8_000;
const MEDIA_PROPERTY = 'data';

export class ChatWebTrigger implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Chat-Web Trigger',
    name: 'chatWebTrigger',
    icon: { light: 'file:../../icons/chat-web.svg', dark: 'file:../../icons/chat-web.dark.svg' },
    group: ['trigger'],
    version: 1,
    subtitle: '={{ $parameter["events"].join(", ") }}',
    description: 'Starts the workflow on events of WhatsApp accounts',
    defaults: { name: 'Chat-Web Trigger' },
    inputs: [],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: 'chatWebApi', required: true }],
    webhooks: [
      {
        name: 'default',
        httpMethod: 'POST',
        path: 'events',
        responseMode: '={{ $parameter["acknowledge"] }}',
        responseData: 'noData',
      },
    ],
    properties: [
      {
        displayName: 'Events',
        name: 'events',
        type: 'multiOptions',
        options: EVENTS.map(([name, value]) => ({ name, value })),
        default: ['message'],
        required: true,
      },
      {
        displayName: 'Sessions',
        name: 'sessions',
        type: 'string',
        default: '',
        placeholder: 'main, shop-*',
        description:
          'IDs of sessions, separated by commas; * stands for any characters. Empty: all sessions of the key.',
      },
      {
        displayName: 'Acknowledge',
        name: 'acknowledge',
        type: 'options',
        options: [
          {
            name: 'When the Workflow Ends',
            value: 'lastNode',
            description:
              'An event is delivered again if the workflow fails, takes more than 15 s, or n8n stops meanwhile',
          },
          {
            name: 'Immediately',
            value: 'onReceived',
            description: 'For slow workflows: an event is not delivered again if the workflow fails, or n8n stops',
          },
        ],
        default: 'lastNode',
      },
      {
        displayName: 'Options',
        name: 'options',
        type: 'collection',
        placeholder: 'Add option',
        default: {},
        options: [
          {
            displayName: 'Chats',
            name: 'chats',
            type: 'multiOptions',
            options: ['person', 'group', 'status', 'channel', 'community'].map((value) => ({ name: value, value })),
            default: [],
            description: 'Only events of these kinds of chats',
          },
          { displayName: 'Download Media', name: 'download', type: 'boolean', default: false },
          {
            displayName: 'From',
            name: 'from',
            type: 'options',
            options: [
              { name: 'Others', value: 'others' },
              { name: 'The Account Itself', value: 'own' },
            ],
            default: 'others',
          },
        ],
      },
    ],
  };

  webhookMethods = {
    default: {
      async checkExists(this: IHookFunctions): Promise<boolean> {
        const { webhookId, secret } = registered(this);
        const own = (await ownWebhooks(this)).find(({ id }) => id === webhookId);
        if (!own || secret === undefined) return false;
        // It may be disabled, because n8n was off for days, or have other settings.
        await request(this, { method: 'PUT', path: path`/webhooks/${own.id}`, body: wanted(this) });
        return true;
      },

      async create(this: IHookFunctions): Promise<boolean> {
        await removeAll(this); // One is left if n8n was killed before it has stored the id.
        const about = registered(this);
        const { position, removedAt = 0 } = about;
        const after = position !== undefined && Date.now() - removedAt < RESUME_MS ? { after: position } : {};
        const { body } = await request(this, {
          method: 'POST',
          path: '/webhooks',
          body: { ...wanted(this), ...after },
        });
        const { id, secret } = body as { id: string; secret: string };
        Object.assign(about, { webhookId: id, secret });
        return true;
      },

      async delete(this: IHookFunctions): Promise<boolean> {
        const about = registered(this);
        const own = (await ownWebhooks(this)).find(({ id }) => id === about.webhookId);
        await removeAll(this);
        Object.assign(about, { position: own?.position ?? undefined, removedAt: Date.now() });
        delete about.webhookId;
        delete about.secret;
        return true;
      },
    },
  };

  async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
    const { secret } = registered(this);
    const { headers, rawBody: body } = this.getRequestObject() as WebhookRequest;
    if (!secret || !body || !isSigned({ headers, body }, secret)) return answered(this, 401);
    const event = this.getBodyData();
    if (event.type === 'test') return answered(this, 204);
    const item: INodeExecutionData = { json: { eventId: String(headers['webhook-id']), ...event } };
    const { download } = this.getNodeParameter('options', {}) as IDataObject;
    const { id, hasMedia } = (event.data ?? {}) as { id?: string; hasMedia?: boolean };
    if (download && event.type === 'message' && hasMedia && id) {
      const media = await mediaOf(this, String(event.session), id);
      Object.assign(item, media.binary ? { binary: media.binary } : {});
      Object.assign(item.json, media.error ? { mediaError: media.error } : {});
    }
    return { workflowData: [[item]] };
  }
}

function registered(context: IHookFunctions | IWebhookFunctions): Registered {
  return context.getWorkflowStaticData('node') as Registered;
}

/** What the gateway is to deliver. */
function wanted(context: IHookFunctions): IDataObject {
  const { chats, from } = context.getNodeParameter('options', {}) as IDataObject;
  const sessions = (context.getNodeParameter('sessions') as string).split(/[\s,]+/).filter(Boolean);
  return {
    url: context.getNodeWebhookUrl('default'),
    events: context.getNodeParameter('events') as string[],
    ...(sessions.length > 0 ? { sessions } : {}),
    ...(Array.isArray(chats) && chats.length > 0 ? { chats } : {}),
    ...(from ? { from } : {}),
  };
}

/** The webhooks of this trigger: its URL is its own. */
async function ownWebhooks(context: IHookFunctions): Promise<Webhooks> {
  const { body } = await request(context, { method: 'GET', path: '/webhooks' });
  const { webhooks } = body as unknown as { webhooks: Webhooks };
  return webhooks.filter(({ url }) => url === context.getNodeWebhookUrl('default'));
}

async function removeAll(context: IHookFunctions): Promise<void> {
  for (const { id } of await ownWebhooks(context))
    await request(context, { method: 'DELETE', path: path`/webhooks/${id}` });
}

function answered(context: IWebhookFunctions, status: number): IWebhookResponseData {
  context.getResponseObject().status(status).end();
  return { noWebhookResponse: true };
}

/** Media that cannot be downloaded do not hold up the event. */
async function mediaOf(context: IWebhookFunctions, session: string, id: string) {
  try {
    const asked = { method: 'GET', path: mediaPath(session, id), isFile: true, timeoutMs: DOWNLOAD_MS } as const;
    const { body, headers } = await request(context, asked);
    const name = nameIn(String(headers['content-disposition'] ?? ''));
    const type = String(headers['content-type']);
    const file = await context.helpers.prepareBinaryData(Buffer.from(body as Buffer), name, type);
    return { binary: { [MEDIA_PROPERTY]: file } };
  } catch (error) {
    return { error: (error as Error).message };
  }
}
