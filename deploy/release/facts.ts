// What is released: the version, which every file that names it has, the commit, and the notes. Called first
// by main.ts, so that a release that does not fit together ends before anything is made. It must never take
// a fact from anywhere but the checkout.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { versionedFiles } from "../generate/versions.ts";
import { readJson, ROOT, run } from "./run.ts";

export interface Facts {
  readonly version: string;
  /** In full. */
  readonly revision: string;
  /** Time of the commit, which every file of the release has. */
  readonly committedAt: Date;
  /** The section of CHANGELOG.md. */
  readonly notes: string;
}

/**
 * `tag` is that of the release, `v` and the version. Without one the checkout may have changes, and the
 * notes may be those of the section Unreleased.
 */
export async function readFacts(tag?: string): Promise<Facts> {
  const { version } = readJson(join(ROOT, "package.json")) as { version: string };
  const text = (path: string) => readFileSync(join(ROOT, path), "utf8");
  const faults = versionedFiles().flatMap(([path, wanted]) =>
    text(path) === wanted
      ? []
      : [`${path} lacks the version ${version}: \`npm run generate -- versions\` writes it`],
  );
  if (tag !== undefined && tag !== `v${version}`)
    faults.push(`the tag is ${tag}, but package.json has the version ${version}`);
  const changes = text("CHANGELOG.md");
  const notes =
    sectionOf(changes, version) ?? (tag === undefined && sectionOf(changes, "Unreleased"));
  if (!notes) faults.push(`CHANGELOG.md has no section "## ${version}" with an entry`);
  const git = async (...words: string[]) => (await run(ROOT, "git", words)).trim();
  if (tag !== undefined && (await git("status", "--porcelain")) !== "")
    faults.push("the checkout has changes that are not committed");
  if (!notes || faults.length > 0) throw new Error(faults.join("\n"));
  const [revision = "", seconds] = (await git("log", "-1", "--format=%H %ct")).split(" ");
  return { version, revision, committedAt: new Date(Number(seconds) * 1_000), notes };
}

/** The text below a heading of the second level; undefined if there is neither heading nor text. */
export function sectionOf(changes: string, heading: string): string | undefined {
  const sections = changes.split(/^## /m).slice(1);
  const section = sections.find((each) => each.split(/[ \n]/, 1)[0] === heading);
  return section?.slice(section.indexOf("\n")).trim() || undefined;
}
