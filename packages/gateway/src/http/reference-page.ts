import { html } from 'hono/html';
import type { Route } from './server-env.ts';

interface Content {
  readonly 'application/json'?: { readonly schema: object; readonly examples?: object };
}

interface Documented {
  readonly summary: string;
  readonly 'x-scope'?: string;
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: Content }>>;
}

/** The OpenAPI document as an HTML page without scripts or external resources. */
export function referencePage(document: Readonly<Record<string, unknown>>): Route {
  const paths = document.paths as Readonly<Record<string, Readonly<Record<string, Documented>>>>;
  const sections = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => section(method, path, operation)),
  );
  const page = html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Chat-web gateway</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 50rem; margin: 2rem auto; padding: 0 1rem; color-scheme: light dark }
code, pre { font: 14px/1.4 ui-monospace, monospace } pre { overflow-x: auto; padding: .5rem; border: 1px solid #8884 }
h2 { margin-top: 2.5rem; font-size: 1.1rem } td { vertical-align: top; padding-right: 1rem }
</style>
<h1>Chat-web gateway</h1>
<p>OpenAPI document: <a href="/openapi.json">openapi.json</a>.</p>
${sections}
</html>`;
  return (c) => c.html(page, 200, { 'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'" });
}

function section(method: string, path: string, { summary, requestBody, responses, 'x-scope': scope }: Documented) {
  const body = requestBody?.content['application/json'];
  const answer = (responses['200'] ?? responses['201'])?.content?.['application/json'];
  return html`
<h2><code>${method.toUpperCase()} ${path}</code></h2>
<p>${summary}</p>
${scope && html`<p>Scope: ${scope}</p>`}
${Object.entries(body?.examples ?? {}).map(([name, { value }]) => html`<p>${name}</p>${code(value)}`)}
${body && html`<details><summary>Body</summary>${code(body.schema)}</details>`}
${answer && html`<details><summary>Answer</summary>${code(answer.schema)}</details>`}
<table>${Object.entries(responses).map(([status, { description }]) => html`<tr><td>${status}<td>${description}`)}</table>`;
}

function code(value: unknown) {
  return html`<pre>${JSON.stringify(value, null, 2)}</pre>`;
}
