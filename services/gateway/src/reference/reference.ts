// The reference page: the OpenAPI document as HTML. It is made of the document alone, so it says what that
// says.

import type { openApiDocument } from "../openapi/document.ts";
import type { Schema } from "../render/example.ts";
import { type Html, html, inline, prose } from "./page.ts";
import { choiceOf, membersOf, rulesOf, typeOf } from "./schema.ts";

interface Content {
  readonly [mediaType: string]: {
    readonly schema: Schema;
    readonly example?: unknown;
    readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
  };
}

interface Response {
  readonly $ref?: string;
  readonly description?: string;
  readonly content?: Content;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, Response>>;
}

interface Listed {
  /** `POST /v1/events`. */
  readonly title: string;
  readonly operation: Operation;
}

type Document = ReturnType<typeof openApiDocument>;

export function referenceOf(document: Document): Html {
  const { components, info, paths, tags, webhooks } = document;
  const all = [
    ...listed(paths, (path) => path),
    ...listed(webhooks, (event) => `delivery of ${event}`),
  ];
  const names = Object.keys(components.schemas);
  const menu = tags.map(
    ({ name }) =>
      html`<b>${name}</b>
        <ul>
          ${under(name, all).map(link)}
        </ul>`,
  );
  const groups = tags.map(
    ({ name, description }) =>
      html`<h2>${name}</h2>
        <p>${description}</p>
        ${under(name, all).map((one) => operationOf(one, components.responses))}`,
  );
  return html`<nav>
      <b><a href="/">${info.title}</a></b>
      <ul>
        <li><a href="/openapi.json">openapi.json</a></li>
      </ul>
      ${menu} <b>Schemas</b>
      <ul>
        ${names.map((name) => html`<li><a href="#${name}">${name}</a></li>`)}
      </ul>
    </nav>
    <main>
      <h1>${info.title}</h1>
      ${prose(info.description)}${groups}
      <h2>Schemas</h2>
      ${Object.entries(components.schemas).map(([name, schema]) => schemaOf(name, schema))}
    </main>`;
}

function listed(
  paths: Readonly<Record<string, object>>,
  name: (path: string) => string,
): readonly Listed[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods as Readonly<Record<string, Operation>>).map(([method, operation]) => ({
      title: `${method.toUpperCase()} ${name(path)}`,
      operation,
    })),
  );
}

function under(tag: string, all: readonly Listed[]): readonly Listed[] {
  return all.filter(({ operation }) => operation.tags.includes(tag));
}

const link = ({ operation: { operationId, summary } }: Listed) =>
  html`<li><a href="#${operationId}">${summary}</a></li>`;

function operationOf({ title, operation }: Listed, shared: Record<string, object>): Html {
  const { operationId, summary, description, parameters = [], requestBody, responses } = operation;
  const answers = Object.entries(responses).map(([status, given]) => {
    const response: Response = given.$ref
      ? (shared[given.$ref.split("/").at(-1) ?? ""] ?? {})
      : given;
    return html`<details>
      <summary><b>${status}</b> ${inline(response.description ?? "")}</summary>
      ${contentOf(response.content)}
    </details>`;
  });
  return html`<section id="${operationId}">
    <h3>${summary}</h3>
    <p><code>${title}</code></p>
    ${prose(description)}${choiceOf(operation)}
    ${parameters.length > 0 ? parametersOf(parameters) : html``}
    ${
      requestBody
        ? html`<h4>Body</h4>
            ${contentOf(requestBody.content)}`
        : html``
    }
    <h4>Responses</h4>
    ${answers}
  </section>`;
}

function parametersOf(parameters: readonly Parameter[]): Html {
  const rows = parameters.map(
    (one) =>
      html`<tr>
        <td><code>${one.name}</code></td>
        <td>${typeOf(one.schema)}${rulesOf(one.schema)}</td>
        <td>${one.in}${one.required ? ", required" : ""}</td>
        <td>${inline(one.description ?? "")}</td>
      </tr>`,
  );
  return html`<table>
    <tr>
      <th>Parameter</th>
      <th>Type</th>
      <th>In</th>
      <th>Meaning</th>
    </tr>
    ${rows}
  </table>`;
}

function contentOf(content: Content = {}): Html {
  const parts = Object.entries(content).map(([type, { schema, example, examples = {} }]) => {
    const shown = [
      ...(example === undefined ? [] : [example]),
      ...Object.values(examples).map(({ value }) => value),
    ];
    return html`<div class="note">
        ${type}: ${schema.properties ? membersOf(schema) : typeOf(schema)}
      </div>
      ${shown.map((value) => html`<pre>${typeof value === "string" ? value : JSON.stringify(value, null, 2)}</pre>`)}`;
  });
  return html`${parts}`;
}

function schemaOf(name: string, schema: Schema): Html {
  const { description, properties } = schema;
  return html`<section id="${name}">
    <h3>${name}</h3>
    ${typeof description === "string" ? prose(description) : html``}${choiceOf(schema)}
    ${properties ? membersOf(schema) : html`<p>${typeOf(schema)}</p>`}
  </section>`;
}
