// The module packages/sdk-go as a zip, in the form of the Go module proxy. Called by main.ts. Who uses the
// module gets it from the tag of the repository, so its path must be that of the repository.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { matchesOf, ROOT, run } from "./run.ts";
import { zip } from "./zip.ts";

const FOLDER = "packages/sdk-go";
/** Stands in the path until the repository has a public home. */
const NO_OWNER = "/OWNER/";

export const goModuleFile = (version: string): string => `annals-sdk-go-${version}.zip`;

/** The path of the module, which every import names. */
export function goModulePath(): string {
  const [path = ""] = matchesOf(
    readFileSync(join(ROOT, FOLDER, "go.mod"), "utf8"),
    /^module (\S+)$/gm,
  );
  return path;
}

/** The address of the repository as the path of the module has it: without an owner until it is public. */
export const homeOfModule = (): string => `https://${goModulePath().slice(0, -FOLDER.length - 1)}`;

/** Writes the zip into `out`. Returns why it must not be released; `source` is the repository's address. */
export async function packGo(version: string, out: string, source: string): Promise<string[]> {
  const listed = await run(ROOT, "git", [
    "ls-files",
    "-z",
    "--cached",
    "--others",
    "--exclude-standard",
    FOLDER,
  ]);
  const paths = listed.split("\0").filter((path) => path !== "" && existsSync(join(ROOT, path)));
  const root = `${goModulePath()}@v${version}`;
  const files = paths.map((path) => [`${root}${path.slice(FOLDER.length)}`, path] as const);
  const all = [...files, [`${root}/LICENSE`, "LICENSE"] as const].toSorted(([a], [b]) =>
    a < b ? -1 : 1,
  );
  const contents = all.map(([name, path]) => [name, readFileSync(join(ROOT, path))] as const);
  writeFileSync(join(out, goModuleFile(version)), zip(contents));
  return moduleFaults(goModulePath(), source);
}

/** A module with the path of another repository cannot be imported. */
export function moduleFaults(path: string, source: string): string[] {
  if (path.includes(NO_OWNER)) return [`${FOLDER}/go.mod names no owner: ${path}`];
  const expected = `${source.replace(/^https?:\/\//, "")}/${FOLDER}`;
  return path === expected ? [] : [`${FOLDER}/go.mod names ${path}, not ${expected}`];
}
