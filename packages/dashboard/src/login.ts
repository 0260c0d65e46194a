// What lives from a login to the log out: a key, or the access of a person to an account. Made by app.ts.

import type { AnnalsError } from "@annals/sdk";
import type { Routes } from "@annals/sdk/browser";
import { newClient } from "./client.ts";
import type { Access } from "./person.ts";
import type { SessionData } from "./screen.ts";

export interface Login {
  readonly api: Routes;
  readonly data: SessionData;
  /** Undefined for a key. */
  readonly access: Access | undefined;
}

export function keyLogin(
  key: string,
  fetch: typeof globalThis.fetch,
  onRefusedKey: (error: AnnalsError) => void,
): Login {
  return {
    api: newClient({ key, fetch, onRefusedKey }),
    data: { widgetTokens: [] },
    access: undefined,
  };
}

export function personLogin(access: Access): Login {
  const { fetch, token: key } = access;
  return { api: newClient({ key, fetch }), data: { widgetTokens: [] }, access };
}
