import type { Message, WorkerEvent } from '@chat-web/protocol';

/** A text to send; `to` is a full id. */
export interface TextToSend {
  readonly to: string;
  readonly body: string;
  readonly quotedMessageId?: string | undefined;
}

/** What handlers ask of the web client. Every method fails with a GatewayError that tells the truth about the outcome. */
export interface ClientPort {
  sendText(text: TextToSend): Promise<Message>;
}

/** Told of everything that happens to the session, in order. */
export type ReportEvent = (event: WorkerEvent) => void;

/** How a line of the log gets out of the worker. Never with a message body, a QR or a token. */
export type Log = (level: 'debug' | 'info' | 'warn' | 'error', text: string) => void;
