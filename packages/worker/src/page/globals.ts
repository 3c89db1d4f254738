import type { PageModules } from './contract/index.ts';
import type { PageChat, PageId, PageMessage } from './models.ts';

/** Media prepared by the library: a model of the page, with the library's own fields. */
type PageMedia = Record<string, unknown> & { toJSON?(): Record<string, unknown> };

declare global {
  /** The page's global object. */
  interface Window {
    require<N extends keyof PageModules>(name: N): PageModules[N];
    Debug?: { VERSION?: string };
    WWebJS: {
      getChat(id: string, options: { getAsModel: false }): Promise<PageChat | null | undefined>;
      sendMessage(chat: PageChat, content: string, options: object): Promise<PageMessage | undefined>;
      editMessage(message: PageMessage, content: string, options: object): Promise<PageMessage | undefined>;
      mediaInfoToFile(info: { data: string; mimetype: string; filename?: string }): File;
      processMediaData(info: object, options: object): Promise<PageMedia>;
      assertColor(hex: string): number;
      enforceLidAndPnRetrieval(id: string): Promise<{ lid?: PageId; phone?: PageId }>;
    };
    /** Sends a `PageSignal`, as JSON, to the worker. There is no answer. */
    chatWebSignal(json: string): void;
  }
}
