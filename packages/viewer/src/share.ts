// What a reader takes along: a copied text, a command, a file. Used by the element. None of them has the
// token.

import type { Row } from "./event-window.ts";

export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** The command leaves the token out: it reads one from the environment. */
export function curlOf(address: string): string {
  return `curl -H "Authorization: Bearer $ANNALS_WIDGET_TOKEN" ${quoted(address)}`;
}

/** In single quotes a shell takes every character but the quote as it is. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The events that are loaded, newest first, each with the proof that came with it. */
export function download(rows: readonly Row[]): void {
  const text = JSON.stringify({ data: rows.map(({ event }) => event) }, undefined, 2);
  const address = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = "audit-log.json";
  link.click();
  URL.revokeObjectURL(address);
}
