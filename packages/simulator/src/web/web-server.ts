import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import type { Certificate } from '../browser-args.ts';
import type { Network } from '../network/network.ts';
import type { PageFault, PageSettings } from '../page/wire.ts';
import { type Document, PENDING_PATH, readScripts, renderPage, renderQr } from './documents.ts';
import { PICTURE_HOST, serveMedia, servePicture } from './media.ts';
import { PageConnection } from './page-connection.ts';
import type { Pages } from './pages.ts';

/** web.whatsapp.com: the page, its scripts, and the two sockets that a page opens. Not listening yet. */
export function createWebServer(certificate: Certificate, network: Network, pages: Pages): Server {
  const server = createServer({ key: certificate.key, cert: certificate.cert });
  const sockets = new WebSocketServer({ noServer: true });
  const scripts = readScripts();
  // A request for a script reports the failure.
  scripts.catch(() => undefined);

  server.on('request', async (request, response) => {
    const url = urlOf(request);
    try {
      if (request.headers.host?.startsWith(PICTURE_HOST)) servePicture(network, url.pathname, response);
      else if (isMedia(url)) {
        if (isCutOff(url.searchParams.get('device'), network)) request.socket.destroy();
        else await serveMedia(network, url.pathname, request, response);
      } else if (url.pathname !== PENDING_PATH) {
        const fault = faultOf(request, network);
        const settings = { ...network.settings, fault };
        const document = findDocument(url, settings, await scripts);
        serveDocument(response, document, url.pathname === '/' && fault === 'document');
      }
    } catch (error) {
      if (response.headersSent) response.destroy();
      else response.writeHead(500, { 'content-type': 'text/plain' }).end(String(error));
    }
  });

  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const url = urlOf(request);
    const page = url.searchParams.get('page') ?? '';
    const accept = acceptor(url, page, network, pages);
    if (!accept) {
      socket.end('HTTP/1.1 503 Service Unavailable\r\n\r\n');
      return;
    }
    sockets.handleUpgrade(request, socket, head, accept);
  });
  return server;
}

type Acceptor = Parameters<WebSocketServer['handleUpgrade']>[3];

function acceptor(url: URL, page: string, network: Network, pages: Pages): Acceptor | undefined {
  if (url.pathname === '/ws/test-control') return (socket) => pages.join(page, socket);
  const deviceId = url.searchParams.get('device');
  if (url.pathname !== '/ws/chat' || isCutOff(deviceId, network)) return undefined;
  return (socket) => {
    const connection = new PageConnection(socket, network, deviceId);
    pages.connected(page, connection);
    socket.on('close', () => pages.disconnected(page, connection));
  };
}

/** True for a device whose account has no network now. */
function isCutOff(deviceId: string | null, { directory }: Network): boolean {
  return deviceId !== null && directory.ownerOf(deviceId)?.connected === false;
}

/** The fault for the page of the requesting device, which identifies itself by a cookie. */
function faultOf({ headers }: IncomingMessage, { directory }: Network): PageFault {
  const deviceId = /(?:^|; )device=([^;]+)/.exec(headers.cookie ?? '')?.[1];
  return (deviceId !== undefined && directory.ownerOf(deviceId)?.fault) || 'none';
}

function isMedia({ pathname }: URL): boolean {
  return pathname.startsWith('/mms/') || pathname.startsWith('/v/');
}

function serveDocument(response: ServerResponse, document: Document | undefined, isEndless: boolean): void {
  const headers = { 'content-type': document?.type ?? 'text/plain', 'cache-control': 'no-store' };
  response.writeHead(document ? 200 : 404, headers);
  // Enough for the browser to leave the previous page.
  if (isEndless) response.write('<!doctype html>\n');
  else response.end(document?.body ?? 'not found');
}

function findDocument(url: URL, settings: PageSettings, scripts: Map<string, string>): Document | undefined {
  if (url.pathname === '/') return renderPage(settings, scripts.keys());
  if (url.pathname === '/qr.svg') return renderQr(url.searchParams.get('text') ?? '');
  const script = scripts.get(url.pathname);
  return script === undefined ? undefined : { type: 'text/javascript; charset=utf-8', body: script };
}

function urlOf({ url = '/' }: IncomingMessage): URL {
  return new URL(url, 'https://web.whatsapp.com');
}
