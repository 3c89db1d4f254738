import type { PageModules } from './contract/index.ts';

declare global {
  /** The page's global object. */
  interface Window {
    require<N extends keyof PageModules>(name: N): PageModules[N];
    Debug?: { VERSION?: string };
    /** Sends a `PageSignal`, as JSON, to the worker. There is no answer. */
    chatWebSignal(json: string): void;
  }
}
