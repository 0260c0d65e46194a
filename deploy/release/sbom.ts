// What is in the image and in each npm package, as CycloneDX: every package with its version, license and
// digest, as the lockfile has them. Called by main.ts. pnpm makes it; here it gets the time of the commit
// and a fixed order, so that the same commit gives the same bytes. It must never leave out what runs.

import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Facts } from "./facts.ts";
import { matchesOf, pnpm, readJson, ROOT } from "./run.ts";

interface Component {
  readonly "bom-ref": string;
}

interface Dependency {
  readonly ref: string;
  readonly dependsOn?: readonly string[];
}

export interface Sbom {
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly Dependency[];
}

/**
 * Writes the SBOM of the image: the services with their production dependencies, and the packages that the
 * image has, with what they are bundled from.
 */
export async function writeImageSbom(file: string, facts: Facts): Promise<void> {
  const dockerfile = readFileSync(join(ROOT, "deploy/Dockerfile"), "utf8");
  const packages = matchesOf(dockerfile, /^COPY --from=build \/annals\/(packages\/[^/\s]+)/gm);
  const words = [...new Set(packages)].flatMap((folder) => ["--filter", `./${folder}`]);
  const parts = [
    ...(await sbomsOf("--prod", "--filter", "./services/*")),
    ...(await sbomsOf(...words)),
  ];
  const ref = `pkg:generic/annals@${facts.version}`;
  const component = {
    type: "application",
    name: "annals",
    version: facts.version,
    "bom-ref": ref,
    purl: ref,
  };
  const refs = parts.map((part) => part.metadata.component["bom-ref"]);
  write(file, facts, {
    ...parts[0],
    metadata: { ...parts[0]?.metadata, component },
    components: parts.flatMap((part) => [part.metadata.component, ...part.components]),
    dependencies: [{ ref, dependsOn: refs }, ...parts.flatMap((part) => part.dependencies)],
  });
}

/**
 * Writes the SBOM of an npm package: its dependencies and those of development, since what it is bundled from
 * is among them. So it may name more than the package has.
 */
export async function writePackageSbom(file: string, facts: Facts, name: string): Promise<void> {
  for (const part of await sbomsOf("--filter", name)) write(file, facts, part);
}

/** One for each package: pnpm's SBOM of several packages leaves dependencies out, others at each run. */
async function sbomsOf(...words: string[]): Promise<Sbom[]> {
  const folder = mkdtempSync(join(tmpdir(), "annals-sbom-"));
  try {
    const format = ["--sbom-format", "cyclonedx", "--sbom-type", "application"];
    await pnpm(ROOT, ...words, "sbom", ...format, "--split", "--out", join(folder, "%s.json"));
    return readdirSync(folder)
      .toSorted()
      .map((name) => readJson(join(folder, name)) as Sbom);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function write(file: string, facts: Facts, sbom: Sbom): void {
  const edges = new Map<string, Set<string>>();
  for (const { ref, dependsOn = [] } of sbom.dependencies)
    edges.set(ref, new Set([...(edges.get(ref) ?? []), ...dependsOn]));
  const whole = {
    ...sbom,
    serialNumber: "",
    metadata: { ...sbom.metadata, timestamp: facts.committedAt.toISOString() },
    components: byKey(sbom.components, (each) => each["bom-ref"]),
    dependencies: [...edges.keys()].toSorted().map((ref) => ({
      ref,
      dependsOn: [...(edges.get(ref) ?? [])].toSorted(),
    })),
  };
  const serialNumber = `urn:uuid:${uuidOf(JSON.stringify(whole))}`;
  writeFileSync(file, `${JSON.stringify({ ...whole, serialNumber }, undefined, 2)}\n`);
}

/** Sorted, each key once. */
function byKey<T>(items: readonly T[], keyOf: (item: T) => string): T[] {
  const sorted = items.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  return sorted.filter((item, at) => at === 0 || keyOf(item) !== keyOf(sorted[at - 1] as T));
}

/** A UUID of version 8 (RFC 9562): a digest of the text. */
function uuidOf(text: string): string {
  const digest = createHash("sha256").update(text).digest("hex");
  const groups = /^(.{8})(.{4}).(.{3}).(.{3})(.{12})/.exec(digest) ?? [];
  const [, first, second, third, fourth, fifth] = groups;
  return `${first}-${second}-8${third}-8${fourth}-${fifth}`;
}
