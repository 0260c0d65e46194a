// Schemas of the document as HTML: what type something has in a few words, and a table of the members of an
// object.

import type { Schema } from "../render/example.ts";
import { type Html, html, inline } from "./page.ts";

const REFERENCE = "#/components/schemas/";

/** `array of Event`, `text or null`, `any value`; a named schema is a link to it. */
export function typeOf(schema: Schema): Html {
  const { $ref, anyOf, const: only, enum: values, items, properties, type } = schema;
  if (typeof $ref === "string") {
    const name = $ref.slice(REFERENCE.length);
    return html`<a href="#${name}">${name}</a>`;
  }
  if (only !== undefined) return html`<code>${JSON.stringify(only)}</code>`;
  if (values)
    return html`${joined(
      values.map((one) => html`<code>${String(one)}</code>`),
      ", ",
    )}`;
  if (items) return html`array of ${typeOf(items)}`;
  if (anyOf && !properties) return joined(anyOf.map(typeOf), " or ");
  return html`${typeof type === "string" ? type : "any value"}`;
}

function joined(parts: readonly Html[], separator: string): Html {
  return html`${parts.map((part, at) => html`${at > 0 ? separator : ""}${part}`)}`;
}

/** Its members; those of objects inside it, which have no name, below. */
export function membersOf({ properties = {}, required = [] }: Schema): Html {
  const rows = Object.entries(properties).map(
    ([name, member]) =>
      html`<tr>
        <td><code>${name}</code></td>
        <td>${typeOf(member)}${rulesOf(member)}</td>
        <td>${required.includes(name) ? "required" : "optional"}</td>
        <td>${about(member)}</td>
      </tr>`,
  );
  return html`<table>
    <tr>
      <th>Member</th>
      <th>Type</th>
      <th></th>
      <th>Meaning</th>
    </tr>
    ${rows}
  </table>`;
}

function about(schema: Schema): Html {
  const { description, properties } = schema;
  const text = typeof description === "string" ? inline(description) : html``;
  return properties ? html`${text}${membersOf(schema)}` : text;
}

const RULES = [
  "format",
  "pattern",
  "minLength",
  "maxLength",
  "minimum",
  "maximum",
  "minItems",
  "maxItems",
];

/** Says of a detail that the interface leaves open that it is one. */
export function choiceOf(node: object): Html {
  return "x-annals-open-detail" in node
    ? html`<div class="note">a choice of this product</div>`
    : html``;
}

/** What else a value must keep to. */
export function rulesOf(schema: Schema): Html {
  const rules = RULES.filter((rule) => schema[rule] !== undefined).map(
    (rule) => html`<div class="note">${rule} <code>${String(schema[rule])}</code></div>`,
  );
  return html`${rules}${choiceOf(schema)}`;
}
