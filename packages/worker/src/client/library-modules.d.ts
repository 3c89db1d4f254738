// Modules of the library that its own types do not declare: see `library.ts`.

declare module 'whatsapp-web.js/src/Client.js' {
  const Client: unknown;
  export = Client;
}

declare module 'whatsapp-web.js/src/util/Constants.js' {
  export const WhatsWebURL: string;
  export const DefaultOptions: { readonly userAgent: string };
}
