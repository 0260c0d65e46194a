// HTML for the pages that need no key: text that is escaped wherever it is put, and the frame with its
// style. Used by pages.ts and the pages. There is no script.

import { hash } from "node:crypto";

export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Part = string | number | undefined | Html | readonly Html[];

/** Each value is escaped, unless it is HTML already. */
export function html(strings: TemplateStringsArray, ...values: readonly Part[]): Html {
  let text = strings[0] ?? "";
  for (const [at, value] of values.entries()) text += textOf(value) + (strings[at + 1] ?? "");
  return new Html(text);
}

function textOf(value: Part): string {
  if (value === undefined) return "";
  if (value instanceof Html) return value.text;
  if (typeof value === "object") return value.map(({ text }) => text).join("");
  return escape(String(value));
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, (one) => ENTITIES[one] ?? one);
}

/** Paragraphs with an empty line between; text in backticks is code. */
export function prose(text: string): Html {
  const paragraphs = text.split("\n\n").map((paragraph) => html`<p>${inline(paragraph)}</p>`);
  return html`${paragraphs}`;
}

/** One paragraph without its frame. */
export function inline(text: string): Html {
  const parts = text.split("`");
  return html`${parts.map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))}`;
}

const STYLE = `
:root { color-scheme: light dark; --line: #8884; --soft: #8881; --link: light-dark(#0b57a4, #8ec1ff) }
body { margin: 0; font: 16px/1.5 system-ui, sans-serif; display: flex }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; flex: 0 0 17rem; padding: 1rem; border-right: 1px solid var(--line);
  box-sizing: border-box; font-size: .85rem }
nav ul { list-style: none; padding: 0; margin: 0 0 1rem }
main { padding: 1rem 2rem 4rem; max-width: 60rem; min-width: 0 }
a { color: var(--link) }
code, pre { font: .85em/1.5 ui-monospace, monospace }
pre { background: var(--soft); padding: .75rem; overflow: auto; margin: .5rem 0 }
section { border-top: 1px solid var(--line); margin-top: 2rem }
table { border-collapse: collapse; width: 100% }
td, th { text-align: left; vertical-align: top; padding: .3rem .75rem .3rem 0; border-top: 1px solid var(--line) }
summary { cursor: pointer }
.note { opacity: .75; font-size: .85em }
@media (max-width: 50rem) { body { display: block } nav { position: static; height: auto; border: 0 } main { padding: 1rem } }
`;

/** For the content security policy. */
export const STYLE_HASH = `sha256-${hash("sha256", STYLE, "base64")}`;

export function page(title: string, content: Html): string {
  const head = html`<meta charset="utf-8" /><meta name="viewport" content="width=device-width" />
    <title>${title}</title>`;
  const style = new Html(`<style>${STYLE}</style>`);
  return html`<!doctype html>
    <html lang="en">
      <head>
        ${head}${style}
      </head>
      <body>
        ${content}
      </body>
    </html>`.text;
}
