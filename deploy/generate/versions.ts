// The files that name the version of the project, each as it should be. The version is that of package.json,
// the one place in which a person writes it. Called by main.ts, and by deploy/release, which refuses a
// release whose files differ. It must never import a service: a release is refused before anything is loaded.

import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

const ROOT = resolve(import.meta.dirname, "../..");

/**
 * Every package of the workspace. pnpm packs none that depends on one without a version, and the SBOM of the
 * image would have 0.0.0.
 */
const MANIFESTS = ["proto", "{libs,packages,services}/*", "deploy/{local,bundle,generate}", "test"];

/** What stands before the version in each other file that names it. */
const PLACES: Readonly<Record<string, RegExp>> = {
  "README.md": /-t annals:/,
  "docs/kubernetes.md": /-t annals:/,
  "helm/annals/Chart.yaml": /^(?:version: |appVersion: | +image: annals:)/,
  "helm/annals/production-values.yaml": /^ {2}tag: /,
  "packages/sdk-python/src/annals_sdk/__init__.py": /^__version__ = "/,
};

/** Each file with what it should be. */
export function versionedFiles(): [path: string, text: string][] {
  const read = (path: string) => readFileSync(join(ROOT, path), "utf8");
  const { version } = JSON.parse(read("package.json")) as { version: string };
  const manifests = globSync(
    MANIFESTS.map((folder) => `${folder}/package.json`),
    { cwd: ROOT },
  );
  return [
    ...manifests.toSorted().map((path) => [path, /^ {2}"version": "/] as const),
    ...Object.entries(PLACES),
  ].map(([path, before]) => [path, withVersion(read(path), before, version)]);
}

/** The text with this version wherever one follows `before`. */
export function withVersion(text: string, before: RegExp, version: string): string {
  const place = new RegExp(String.raw`(${before.source})\d+\.\d+\.\d+(?:-[\w.]+)?`, "gm");
  if (text.search(place) < 0) throw new Error(`no version follows ${before.source}`);
  return text.replaceAll(place, (_, words: string) => `${words}${version}`);
}
