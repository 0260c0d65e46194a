// The login: the API key in memory, and in the tab's storage if a person asks for it. Made by app.ts. The
// key must never get anywhere else.

const STORED = "annals.key";

/** The key of this tab from before a reload. */
export const storedKey = (storage: Storage): string | undefined =>
  storage.getItem(STORED) ?? undefined;

export function storeKey(storage: Storage, key: string): void {
  storage.setItem(STORED, key);
}

export function forgetKey(storage: Storage): void {
  storage.removeItem(STORED);
}
