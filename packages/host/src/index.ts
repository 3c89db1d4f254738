export {
  type AnswerOf,
  type ArchiveDownload,
  type Author,
  type CallOptions,
  type Chat,
  type ChatKind,
  type Contact,
  type Download,
  type ErrorCode,
  type EventData,
  type EventName,
  GatewayError,
  type Group,
  type InputOf,
  type KeyedOptions,
  type MediaBytes,
  type Message,
  type OperationMethods,
  type OperationName,
  type SessionEvent,
  type SessionStatus,
  type SessionView,
} from '@chat-web/protocol';
export { type CachedClient, type CacheEvent, type CacheOptions, createCachedClient } from './cache/cached-client.ts';
export { type ClientOptions, createClient, type Retry, sendText, type TextMessage } from './client.ts';
export type { CloudEvent, CloudEventData, CloudEventName, CloudEventOrigin } from './cloud/cloud-events.ts';
export type { CloudFieldName, CloudFieldValue } from './cloud/cloud-fields.ts';
export type { CloudContact, CloudError, CloudMessage, CloudStatus, CloudStatusName } from './cloud/cloud-message.ts';
export {
  type CloudHandlers,
  type CloudWebhook,
  type CloudWebhookOptions,
  createCloudWebhook,
} from './cloud/cloud-webhook.ts';
export type { EventChoice } from './event-choice.ts';
export { openEventStream, type ReceivedEvent } from './event-stream.ts';
export { memorySeenStore, type SeenStore } from './inbound/once.ts';
export type { Disconnect } from './listener/connection.ts';
export type { EventHandlers, ListenedEvent } from './listener/events.ts';
export { listen } from './listener/listen.ts';
export type { Listener, ListenOptions } from './listener/listener.ts';
export type { PositionStore } from './listener/position-store.ts';
export { ask, type GatewayAddress, type GatewayRequest } from './transport.ts';
export type { OtherWebhookEvent, WebhookEvent } from './webhooks/webhook-event.ts';
export {
  createWebhookReceiver,
  verifyWebhook,
  type WebhookHandlers,
  type WebhookReceiver,
  type WebhookReceiverOptions,
} from './webhooks/webhook-receiver.ts';
