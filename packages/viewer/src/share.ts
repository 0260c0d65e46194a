// What a reader takes along: a copied text, a command, a file. Used by the element. None of them has the
// token.

import type { ProvenEvent } from "./client.ts";
import type { Feed } from "./feed.ts";
import type { Texts } from "./texts.ts";

/** Says whether the browser copied the text. */
export async function copied(copy: string, { text }: Texts): Promise<string> {
  try {
    await navigator.clipboard.writeText(copy);
    return text("copied");
  } catch {
    return text("copyFailed");
  }
}

/** Saves what matches, as far as a download goes, and says how much it is. */
export async function savedFrom(feed: Feed, { text }: Texts): Promise<string> {
  try {
    const { events, hasMore } = await feed.collect();
    download(events);
    return text(hasMore ? "savedNewest" : "saved", { count: events.length });
  } catch {
    return text("unreachable");
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

/** Saves events, newest first, each with the proof that came with it. */
function download(events: readonly ProvenEvent[]): void {
  const text = JSON.stringify({ data: events }, undefined, 2);
  const address = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = "audit-log.json";
  link.click();
  URL.revokeObjectURL(address);
}
