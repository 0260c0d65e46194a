// The texts that the commit of a release changes: the heading of its notes, and the digests of the migrations
// that it adds. Called by prepare.ts. It must never change what an earlier release has.

import { sectionOf } from "./facts.ts";

/** The change log whose section Unreleased is that of the version. Throws if it has no entry. */
export function datedNotes(changes: string, version: string, date: string): string {
  if (sectionOf(changes, version) !== undefined)
    throw new Error(`CHANGELOG.md has a section "## ${version}"`);
  if (sectionOf(changes, "Unreleased") === undefined)
    throw new Error('CHANGELOG.md has no section "## Unreleased" with an entry');
  return changes.replace(/^## Unreleased$/m, `## ${version} (${date})`);
}

/** The test of migrations with the digests of those that it lacks, in the order of their paths. */
export function withDigests(
  test: string,
  migrations: readonly (readonly [path: string, digest: string])[],
): string {
  return test.replace(/(?<=^const RELEASED = \{\n)[^}]*(?=^\};$)/m, (lines) => {
    const released = lines.matchAll(/"(services\/[^"]+)":\s+"(\w+)"/g);
    const all = new Map(migrations);
    for (const [, path = "", digest = ""] of released) all.set(path, digest);
    return [...all.keys()]
      .toSorted()
      .map((path) => `  "${path}":\n    "${all.get(path)}",\n`)
      .join("");
  });
}
