/** The parts of our OpenAPI document that a collection needs. */
interface OpenApi {
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
}

interface OpenApiOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly tags?: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly content: Readonly<
      Record<string, { readonly examples?: Readonly<Record<string, { readonly value: unknown }>> }>
    >;
  };
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly example?: unknown;
}

/** Of events and pages, without a tag. */
const OTHERS = 'Other routes';

/**
 * A Postman collection (v2.1) of all operations, with their examples. Converters make up values instead, which the gateway
 * refuses.
 */
export function postmanCollection({ info, tags, paths }: OpenApi): object {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), ...operation })),
  );
  const folders = [...tags.map(({ name }) => name), OTHERS].map((name) => {
    const ofFolder = operations.filter(({ tags: [tag = OTHERS] = [] }) => tag === name);
    return { name, item: ofFolder.flatMap((operation) => requestsOf(operation)) };
  });
  return {
    info: {
      name: info.title,
      description: info.description,
      version: info.version,
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{token}}', type: 'string' }] },
    variable: [
      { key: 'url', value: 'http://127.0.0.1:3000' },
      { key: 'token', value: '' },
    ],
    item: folders.filter(({ item }) => item.length > 0),
  };
}

function requestsOf({
  path,
  method,
  operationId,
  summary,
  parameters = [],
  requestBody,
}: OpenApiOperation & { readonly path: string; readonly method: string }): object[] {
  const textOf = ({ example }: Parameter) => (example === undefined ? '' : String(example));
  const inPath = parameters.filter((parameter) => parameter.in === 'path');
  const inQuery = parameters.filter((parameter) => parameter.in === 'query');
  const segments = path
    .slice(1)
    .replace(/\{(\w+)\}/g, ':$1')
    .split('/');
  const url = {
    raw: `{{url}}/${segments.join('/')}`,
    host: ['{{url}}'],
    path: segments,
    variable: inPath.map((parameter) => ({ key: parameter.name, value: encodeURIComponent(textOf(parameter)) })),
    query: inQuery.map((parameter) => ({
      key: parameter.name,
      value: textOf(parameter),
      disabled: parameter.example === undefined,
    })),
  };
  const request = { method, description: summary, url };
  const examples = Object.entries(requestBody?.content['application/json']?.examples ?? {});
  if (examples.length === 0) return [{ name: operationId, request }];
  const header = [{ key: 'Content-Type', value: 'application/json' }];
  return examples.map(([title, { value }]) => ({
    name: examples.length === 1 ? operationId : `${operationId}: ${title}`,
    request: { ...request, header, body: { mode: 'raw', raw: JSON.stringify(value, null, 2) } },
  }));
}
