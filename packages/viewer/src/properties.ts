// The properties of the element: the attributes that set them, and their values before a page sets any. Used
// by element.ts; types.ts says what each does.

import type { PropertyDeclarations } from "lit";
import { DEFAULT_SECONDS } from "./poller.ts";

export const PROPERTIES: PropertyDeclarations = {
  server: { type: String },
  token: { type: String },
  expiresAt: { type: String, attribute: "expires-at" },
  syncUrl: { type: Boolean, attribute: "sync-url" },
  refreshSeconds: { type: Number, attribute: "refresh-seconds" },
  tokenProvider: { attribute: false },
  filter: { attribute: false },
  openEvent: { type: String, attribute: "open-event" },
  zone: { type: String },
  facets: { type: String },
  columns: { type: String },
  messages: { attribute: false },
};

/** Without objects and without the zone, which each element has of its own. */
export const INITIAL = {
  server: "",
  token: "",
  expiresAt: "",
  syncUrl: false,
  refreshSeconds: DEFAULT_SECONDS,
  tokenProvider: undefined,
  openEvent: "",
  facets: "",
  columns: "",
};
