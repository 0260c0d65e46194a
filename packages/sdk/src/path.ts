// Paths of requests: a step of a path from an id. Called by annals.ts.

/** One step of a path: an id with a slash in it reaches no other route. */
export function path(id: string): string {
  if (id === "" || id === "." || id === "..") throw new TypeError("an id is missing");
  return encodeURIComponent(id);
}
