// Guarantee: `npm run dist` makes what a release has: sums that are right, versions that agree, npm
// packages that every user can install, a chart without what is for its tests, SBOMs of what runs. The same
// commit gives the same bytes. What must not be in an image or a package is found. The image itself is
// built and checked by the run on a cluster and by the workflows.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { create, list } from "tar";
import { afterAll, beforeAll, expect, test } from "vitest";
import { withVersion } from "../generate/versions.ts";
import { packChart } from "./chart.ts";
import { readFacts, sectionOf } from "./facts.ts";
import { goModuleFile, goModulePath, moduleFaults, packGo } from "./go-module.ts";
import { faultsOfFiles } from "./image-contents.ts";
import { faultsOf, publicPackages } from "./npm-packages.ts";
import { packPython, pythonFiles } from "./python-package.ts";
import { contentsOf, readJson, ROOT } from "./run.ts";
import { type Sbom, writeImageSbom } from "./sbom.ts";

/** Ten seconds where the machine has nothing else to do. */
const MAKE_TIMEOUT_MS = 300_000;

const FOLDER = mkdtempSync(join(tmpdir(), "annals-dist-"));
const OUT = join(FOLDER, "out");
const { version } = readJson(join(ROOT, "package.json")) as { version: string };
const CHART = `annals-chart-${version}.tgz`;
const SBOM = `annals-${version}.cdx.json`;
let printed = "";

const sha256 = (file: string) => createHash("sha256").update(readFileSync(file)).digest("hex");

beforeAll(() => {
  const words = ["deploy/release/main.ts", "--without-image", "--out", OUT];
  // As the workflow has it.
  const env = {
    ...process.env,
    GITHUB_SERVER_URL: "https://forge.example",
    GITHUB_REPOSITORY: "o/r",
  };
  printed = execFileSync(process.execPath, words, { cwd: ROOT, encoding: "utf8", env });
}, MAKE_TIMEOUT_MS);
afterAll(() => rmSync(FOLDER, { recursive: true }));

test("the sums name every file, and are right", () => {
  const sums = readFileSync(join(OUT, "SHA256SUMS"), "utf8");
  const names = readdirSync(OUT).filter((name) => name !== "SHA256SUMS");
  expect(sums).toBe(names.map((name) => `${sha256(join(OUT, name))}  ${name}\n`).join(""));
  expect(names).toEqual(expect.arrayContaining([CHART, SBOM, "RELEASE_NOTES.md"]));
  const notes = readFileSync(join(OUT, "RELEASE_NOTES.md"), "utf8");
  expect(notes).toMatch(/^### /m);
  expect(notes).not.toMatch(/\]\((?!https:)/);
});

test("every package that is not private is there", async () => {
  expect([...printed.matchAll(/^left out.*?: (.*)$/gm)].map(([, fault]) => fault)).toStrictEqual(
    [],
  );
  expect(publicPackages().length).toBeGreaterThan(0);
  for (const { folder, manifest } of publicPackages()) {
    const name = manifest.name.replace("@", "").replace("/", "-");
    expect(readdirSync(OUT)).toContain(`${name}-${version}.npm.cdx.json`);
    const tarball = join(OUT, `${name}-${version}.tgz`);
    expect(await faultsOf(tarball, version)).toStrictEqual([]);
    const packed = (await contentsOf(tarball)).get("package/package.json")?.toString() ?? "";
    expect(JSON.parse(packed)).toMatchObject({
      repository: { type: "git", url: "git+https://forge.example/o/r.git", directory: folder },
    });
  }
});

test("the package for Python has the same bytes again", async (context) => {
  // test/clients/python.test.ts records what is missing then.
  context.skip(printed.includes("no package for Python"));
  const again = join(FOLDER, "python");
  mkdirSync(again);
  const { committedAt } = await readFacts();
  expect(await packPython(version, committedAt, again)).toBeUndefined();
  for (const name of pythonFiles(version))
    expect(sha256(join(again, name))).toBe(sha256(join(OUT, name)));
});

test("the module for Go has the same bytes again, and must have the path of its repository", async () => {
  const again = join(FOLDER, "go");
  mkdirSync(again);
  const faults = await packGo(version, again, "https://forge.example/o/r");
  expect(faults).toHaveLength(1);
  for (const fault of faults) expect(printed).toContain(`an error with --tag: ${fault}`);
  const file = goModuleFile(version);
  expect(sha256(join(again, file))).toBe(sha256(join(OUT, file)));
  const path = "forge.example/o/r/packages/sdk-go";
  expect(moduleFaults(path, "https://forge.example/o/r")).toStrictEqual([]);
  expect(moduleFaults(path, "https://forge.example/p/r")).toHaveLength(1);
  expect(moduleFaults(goModulePath(), "https://github.com/OWNER/annals")).toHaveLength(1);
});

test("the chart has no values of its tests, nothing of this machine, and the same bytes again", async () => {
  const files: string[] = [];
  const times = new Set<number | undefined>();
  const owners = new Set<number | undefined>();
  await list({
    file: join(OUT, CHART),
    onReadEntry: ({ path, mtime, uid }) => {
      files.push(path);
      times.add(mtime?.getTime());
      owners.add(uid);
    },
  });
  expect(files[0]).toBe("annals/Chart.yaml");
  expect(files).toEqual(
    expect.arrayContaining(["annals/values.yaml", "annals/templates/NOTES.txt"]),
  );
  expect(files.filter((path) => path.includes("/ci/"))).toStrictEqual([]);
  const { committedAt } = await readFacts();
  expect([...times]).toStrictEqual([committedAt.getTime()]);
  expect([...owners]).toStrictEqual([undefined]);
  await packChart(version, committedAt, FOLDER);
  expect(sha256(join(FOLDER, CHART))).toBe(sha256(join(OUT, CHART)));
});

test("the SBOM names what runs, each with version and digest, and the same bytes again", async () => {
  const { components } = readJson(join(OUT, SBOM)) as Sbom;
  const refs = components.map((each) => each["bom-ref"]);
  const names = refs.map((ref) => decodeURIComponent(ref).replace(/^pkg:npm\/(.+)@.*$/, "$1"));
  expect(names).toEqual(
    expect.arrayContaining(["@annals/gateway", "@annals/export", "fastify", "pg"]),
  );
  expect(names).not.toEqual(expect.arrayContaining(["vitest"]));
  expect(names).not.toEqual(expect.arrayContaining(["@annals/testing"]));
  const outside = components.filter((each) => !/%40annals\/|annals-verify/.test(each["bom-ref"]));
  expect(outside.length).toBeGreaterThan(100);
  for (const each of outside) expect(JSON.stringify(each)).toMatch(/"alg":"SHA-512"/);
  await writeImageSbom(join(FOLDER, SBOM), await readFacts());
  expect(sha256(join(FOLDER, SBOM))).toBe(sha256(join(OUT, SBOM)));
});

test("each file that names the version gets that of package.json, and a wrong tag is refused", async () => {
  const chart = "version: 1.2.3-rc.1\nappVersion: 1.2.3\nkubeVersion: 1.30.0\n";
  expect(withVersion(chart, /^(?:version|appVersion): /, "1.2.4")).toBe(
    "version: 1.2.4\nappVersion: 1.2.4\nkubeVersion: 1.30.0\n",
  );
  expect(() => withVersion("kubeVersion: 1.30.0\n", /^version: /, "1.2.4")).toThrow("no version");
  await expect(readFacts("v0.0.0")).rejects.toThrow("the tag is v0.0.0");
});

test("the notes are the section of the version", () => {
  const changes =
    "# Changes\n\n## Unreleased\n\n## 1.2.3 (2026-01-02)\n\n### Added\n\n- A.\n\n## 1.2.2\n\n- B.\n";
  expect(sectionOf(changes, "1.2.3")).toBe("### Added\n\n- A.");
  expect(sectionOf(changes, "1.2.2")).toBe("- B.");
  for (const heading of ["Unreleased", "1.2"]) expect(sectionOf(changes, heading)).toBeUndefined();
});

test("a tarball that users could not use is refused, each reason in words", async () => {
  const manifest = {
    name: "x",
    version: "1.0.0",
    private: true,
    exports: { ".": { source: "./src/index.ts", types: "./index.d.ts", default: "./index.js" } },
    dependencies: { "@annals/rpc": "1.0.0", "@annals/y": "workspace:*", pg: "8.0.0" },
  };
  mkdirSync(join(FOLDER, "package/testing"), { recursive: true });
  writeFileSync(join(FOLDER, "package/package.json"), JSON.stringify(manifest));
  for (const path of ["index.js", "a.test.js", "testing/b.js"])
    writeFileSync(join(FOLDER, "package", path), "");
  const file = join(FOLDER, "x.tgz");
  await create({ file, cwd: FOLDER, gzip: true }, ["package"]);
  expect((await faultsOf(file, "1.0.1")).toSorted()).toStrictEqual([
    "x: a.test.js must not be published",
    "x: it depends on @annals/rpc, which users cannot install",
    "x: it depends on @annals/y, which users cannot install",
    "x: package.json has the version 1.0.0, not 1.0.1",
    "x: package.json names index.d.ts, which is not there",
    "x: package.json says private",
    "x: publishConfig of package.json has to say access: public, provenance: true",
    "x: testing/b.js must not be published",
    "x: the license is missing",
  ]);
});

test.each([
  ["usr/bin/dash", "it has a shell"],
  ["usr/local/bin/npm", "it has a package manager"],
  ["annals/libs/rpc/dist/testing/grants.js", "it has a test"],
  ["annals/node_modules/pg/lib/client.test.js", "it has a test"],
  ["annals/services/keys/dist/main.js.map", "it has TypeScript or a source map"],
  ["annals/.env", "it has something hidden"],
])("an image with %s is refused: %s", (path, fault) => {
  const file = { path, mode: 0o644, type: "File", uid: 0 };
  expect(faultsOfFiles([file])).toContainEqual(expect.stringContaining(fault));
});

test("an image with a file that its user could change is refused", () => {
  const path = "annals/services/keys/dist/main.js";
  const faults = (mode: number, uid: number) =>
    faultsOfFiles([{ path, mode, type: "File", uid }]).filter((fault) => fault.includes(path));
  expect(faults(0o644, 0)).toStrictEqual([]);
  for (const [mode, uid] of [
    [0o666, 0],
    [0o4755, 0],
    [0o644, 1000],
  ] as const)
    expect(faults(mode, uid)).toStrictEqual([`the user of the container could change ${path}`]);
});
