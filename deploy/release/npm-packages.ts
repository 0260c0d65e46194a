// The npm packages of a release: every package under packages/ that is not private, packed from a clean
// copy of the checkout, so that no leftover of an earlier build is in one. Called by main.ts. It must never
// pack what `npm install` could not use: a package that needs a private one, or that has a test.

import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { contentsOf, pnpm, readJson, ROOT, run } from "./run.ts";

export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly private?: boolean;
  readonly bin?: Readonly<Record<string, string>>;
  readonly exports?: unknown;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

export interface PublicPackage {
  /** From the root, as packages/annals-verify. */
  readonly folder: string;
  readonly manifest: Manifest;
}

/** Files that no user of a package needs: tests, what only tests import, the state of a build. */
const NOT_FOR_USERS =
  /\.(test|spec)\.|(^|\/)(tests?|testing|__tests__|fixtures)\/|\.tsbuildinfo$|(^|\/)\.env/;

export function publicPackages(): PublicPackage[] {
  return readdirSync(join(ROOT, "packages"))
    .toSorted()
    .map((name) => `packages/${name}`)
    .filter((folder) => existsSync(join(ROOT, folder, "package.json")))
    .map((folder) => ({
      folder,
      manifest: readJson(join(ROOT, folder, "package.json")) as Manifest,
    }))
    .filter(({ manifest }) => manifest.private !== true);
}

/**
 * Writes a tarball for each package that can be published into `out`, and returns what is wrong with the
 * others.
 */
export async function packPackages(version: string, out: string): Promise<string[]> {
  const packages = publicPackages();
  const copy = mkdtempSync(join(tmpdir(), "annals-release-"));
  try {
    await copyCheckout(copy);
    const needed = ["--filter", "annals", "--filter", "{./packages/*}..."];
    await pnpm(copy, ...needed, "install", "--frozen-lockfile", "--prefer-offline");
    const faults: string[] = [];
    for (const { folder } of packages) {
      const printed = await pnpm(join(copy, folder), "pack", "--json", "--pack-destination", out);
      const { filename } = JSON.parse(printed.slice(printed.indexOf("{"))) as { filename: string };
      const tarball = resolve(out, filename);
      const found = await faultsOf(tarball, version);
      if (found.length > 0) rmSync(tarball);
      faults.push(...found);
    }
    return faults;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** Every file that git has or would take, as it is now. */
async function copyCheckout(folder: string): Promise<void> {
  const listed = await run(ROOT, "git", [
    "ls-files",
    "-z",
    "--cached",
    "--others",
    "--exclude-standard",
  ]);
  for (const path of listed.split("\0").filter((each) => existsSync(join(ROOT, each)))) {
    if (path === "") continue;
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    cpSync(join(ROOT, path), join(folder, path), { verbatimSymlinks: true });
  }
}

/** What keeps a tarball from being published, each with the name of the file. */
export async function faultsOf(tarball: string, version: string): Promise<string[]> {
  const entries = [...(await contentsOf(tarball))];
  const files = new Map(entries.map(([path, bytes]) => [path.replace(/^package\//, ""), bytes]));
  const manifest = JSON.parse(files.get("package.json")?.toString() ?? "{}") as Manifest;
  const faults = [...files.keys()]
    .filter((path) => NOT_FOR_USERS.test(path))
    .map((path) => `${path} is no file for users`);
  if (manifest.private === true) faults.push("package.json says private");
  if (manifest.version !== version)
    faults.push(`package.json has the version ${manifest.version}, not ${version}`);
  if (manifest.license !== "Apache-2.0" || !files.has("LICENSE"))
    faults.push("the license is missing");
  for (const [name, wanted] of Object.entries({
    ...manifest.dependencies,
    ...manifest.peerDependencies,
    ...manifest.optionalDependencies,
  }))
    if (wanted.startsWith("workspace:") || isPrivate(name))
      faults.push(`it depends on ${name}, which nobody can install`);
  for (const path of targetsOf([manifest.bin, manifest.exports]))
    if (!files.has(path)) faults.push(`package.json names ${path}, which is not there`);
  return faults.map((fault) => `${manifest.name}: ${fault}`);
}

function isPrivate(name: string): boolean {
  return (
    name.startsWith("@annals/") && publicPackages().every(({ manifest }) => manifest.name !== name)
  );
}

/** The files that `bin` and `exports` name. Only a checkout has those of the condition `source`. */
function targetsOf(value: unknown): string[] {
  if (typeof value === "string") return value.includes("*") ? [] : [value.replace(/^\.\//, "")];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) =>
    name === "source" ? [] : targetsOf(each),
  );
}
