import { storedToken } from '../stored-token.ts';

/** The reference: Swagger UI, unmodified, on the OpenAPI document of this gateway. */

interface SwaggerRequest {
  readonly url: string;
  readonly headers: Record<string, string>;
}

/** Defined by swagger-ui.js; see its documentation, "Configuration". */
declare function SwaggerUIBundle(options: {
  readonly spec: object;
  readonly domNode: HTMLElement;
  /** -1: without the list of schemas. */
  readonly defaultModelsExpandDepth: -1;
  readonly docExpansion: 'list';
  readonly filter: boolean;
  readonly tryItOutEnabled: boolean;
  /** False: the curl line does not show what the interceptor adds, which is the token. */
  readonly showMutatedRequest: boolean;
  /** Null: the document is not sent to a validation service. */
  readonly validatorUrl: null;
  readonly requestInterceptor: (request: SwaggerRequest) => SwaggerRequest;
  readonly onComplete: () => void;
}): SwaggerSystem;

interface SwaggerSystem {
  readonly layoutActions: {
    show(operation: readonly string[], isShown: boolean): void;
    scrollTo(operation: readonly string[]): void;
  };
}

/** The part of the OpenAPI document that this page changes. */
interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly parameters?: readonly Parameter[] }>>>>;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly example?: unknown;
}

const READ_TIMEOUT_MS = 15_000;
const GATEWAY_URL = new URL('..', document.baseURI);
/** `?session=<id>` fills in the session of each call; `#/<tag>/<name>` opens a call. */
const SESSION = new URLSearchParams(location.search).get('session');
const form = element('sign-in', HTMLFormElement);
const reference = element('reference', HTMLElement);

const dark = matchMedia('(prefers-color-scheme: dark)');
const followScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', followScheme);
followScheme();
form.addEventListener('submit', (event) => {
  event.preventDefault();
  const token = String(new FormData(form).get('token')).trim();
  void show(token);
});
void show(storedToken.get());

/** Shows the document, or asks for a token. Never rejects. */
async function show(token: string | undefined): Promise<void> {
  const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  const signal = AbortSignal.timeout(READ_TIMEOUT_MS);
  const answer = await fetch(new URL('openapi.json', GATEWAY_URL), { headers, signal }).catch(() => undefined);
  const spec = answer?.ok ? await documentIn(answer) : undefined;
  if (spec) {
    if (token !== undefined) storedToken.set(token);
    form.hidden = true;
    draw(spec);
    return;
  }
  form.hidden = false;
  reference.ariaBusy = null;
  const isFirst = token === undefined && answer?.status === 401;
  const why = await messageOf(answer);
  const alert = form.querySelector('[role="alert"]');
  if (alert && !isFirst) alert.textContent = why;
}

function draw(spec: OpenApiDocument): void {
  const paths = SESSION === null ? spec.paths : withSession(spec.paths, SESSION);
  const { layoutActions } = SwaggerUIBundle({
    spec: { ...spec, paths, servers: [{ url: GATEWAY_URL.href.replace(/\/$/, '') }] },
    domNode: reference,
    docExpansion: 'list',
    defaultModelsExpandDepth: -1,
    filter: true,
    tryItOutEnabled: true,
    showMutatedRequest: false,
    validatorUrl: null,
    requestInterceptor: (request) => {
      const token = storedToken.get(); // The user may have signed out or in meanwhile.
      if (token !== undefined) request.headers.Authorization ??= `Bearer ${token}`;
      return request;
    },
    onComplete: () => {
      const [tag, name] = location.hash.replace(/^#\/?/, '').split('/');
      if (tag === undefined || name === undefined) return;
      const operation = ['operations', tag, name];
      layoutActions.show(operation, true);
      layoutActions.scrollTo(operation);
    },
  });
  reference.ariaBusy = null;
}

/** The paths with a session as the example of their `id`: Swagger UI fills in examples. */
function withSession(paths: OpenApiDocument['paths'], session: string): OpenApiDocument['paths'] {
  const filledIn = (parameter: Parameter) =>
    parameter.in === 'path' && parameter.name === 'id' ? { ...parameter, example: session } : parameter;
  return mapValues(paths, (methods) =>
    mapValues(methods, (operation) => ({ ...operation, parameters: operation.parameters?.map(filledIn) ?? [] })),
  );
}

function mapValues<T>(record: Readonly<Record<string, T>>, change: (value: T) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
}

/** The document in a response; undefined if it is something else, such as the page of a proxy. */
async function documentIn(answer: Response): Promise<OpenApiDocument | undefined> {
  const body = (await answer.json().catch(() => undefined)) as OpenApiDocument | null | undefined;
  return body?.paths ? body : undefined;
}

async function messageOf(answer: Response | undefined): Promise<string> {
  if (!answer) return 'the gateway does not respond: try again in a moment';
  if (answer.ok) return 'the response is not the OpenAPI document: check the proxy in front of the gateway';
  const { error = '' } = (await answer.json().catch(() => ({}))) as { readonly error?: string };
  return `${answer.status} ${error}`;
}

function element<T extends HTMLElement>(id: string, type: new () => T): T {
  const found = document.getElementById(id);
  if (found instanceof type) return found;
  throw new Error(`the page has no element #${id}`);
}
