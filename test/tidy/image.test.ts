// Guarantee: what runs from source also runs from the image, which has emitted JavaScript, production
// dependencies, no fixture and no test. The other steps of deploy/Dockerfile need the network and do not
// run here.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { settingsOf, textOf, yamlOf } from "./deployment.ts";
import { FILES, importsOf, packageOf, PRODUCT, ROOT, SERVICES } from "./sources.ts";

const DOCKERFILE = textOf("deploy/Dockerfile");

/** An option of V8 or a variable of malloc, as it would be given to a process. */
const OPTION = /--(max-semi-space-size|heap-growing-percent|no-allocation-site)|MALLOC_ARENA_MAX/;

interface Manifest {
  readonly folder: string;
  readonly dependencies: readonly string[];
  readonly exports: Readonly<Record<string, { source?: string; default?: string } | string>>;
}

/** The packages that the image holds, proto aside, which is JavaScript as it is. */
const PACKAGES: readonly Manifest[] = FILES.flatMap(({ path, text }) => {
  const folder = /^((libs|services)\/[^/]+)\/package\.json$/.exec(path)?.[1];
  if (folder === undefined || folder === "libs/testing") return [];
  const { dependencies = {}, exports = {} } = JSON.parse(text);
  return [{ folder, dependencies: Object.keys(dependencies), exports }];
});

test("what a package exports is what tsc emits: dist/x.js of src/x.ts", () => {
  const wrong = PACKAGES.flatMap(({ folder, exports }) =>
    Object.values(exports).filter((target) => {
      if (typeof target === "string") return true;
      const { source = "", default: emitted } = target;
      const expected = source.replace(/^\.\/src\//, "./dist/").replace(/\.ts$/, ".js");
      return (
        emitted !== expected || !FILES.some(({ path }) => path === `${folder}/${source.slice(2)}`)
      );
    }),
  );
  expect(wrong).toStrictEqual([]);
  const projects = PACKAGES.map(({ folder }) => JSON.parse(textOf(`${folder}/tsconfig.json`)));
  for (const { compilerOptions } of projects) {
    expect(compilerOptions).toMatchObject({ rootDir: "src", outDir: "dist" });
  }
  expect(PACKAGES.length).toBeGreaterThan(SERVICES.length + 5);
});

test("what runs in production imports only dependencies, none that are for development", () => {
  const absent = PACKAGES.flatMap(({ folder, dependencies }) =>
    PRODUCT.filter(({ path }) => path.startsWith(`${folder}/src/`)).flatMap((file) =>
      importsOf(file)
        .map(packageOf)
        .filter((name) => !/^(\.|node:)/.test(name) && !dependencies.includes(name))
        .map((name) => `${file.path} imports ${name}`),
    ),
  );
  expect(absent).toStrictEqual([]);
});

test("the image builds and runs every service, as an ordinary user and without a debugger", () => {
  for (const service of SERVICES) expect(DOCKERFILE).toContain(`services/${service}`);
  expect(DOCKERFILE).toMatch(/^USER [1-9]\d*:[1-9]\d*$/m);
  expect(DOCKERFILE).toContain('ENTRYPOINT ["/annals/deploy/entrypoint.sh"]');
  expect(textOf("deploy/entrypoint.sh")).toMatch(/^exec node --disable-sigusr1 /m);
  expect(DOCKERFILE).not.toContain("--inspect");
  // Two stages of the same system and the same major version as the project's own Node.
  const bases = [...DOCKERFILE.matchAll(/^FROM (\S+)/gm)].map(([, image]) => image);
  expect(new Set(bases)).toStrictEqual(new Set(["node:24-bookworm-slim"]));
  expect(JSON.parse(textOf("package.json")).devDependencies.node).toMatch(/^24\./);
});

test("what the install needs of the checkout is in the image's context, patches among it", () => {
  const { patchedDependencies } = yamlOf("pnpm-workspace.yaml") as unknown as {
    patchedDependencies: Readonly<Record<string, string>>;
  };
  const files = ["package.json", "pnpm-lock.yaml", "pnpm-workspace.yaml"];
  const needed = [...files, ...Object.values(patchedDependencies)];
  const ignore = readFileSync(join(ROOT, ".dockerignore"), "utf8");
  const taken = new Set(ignore.match(/(?<=^!).+$/gm));
  expect(needed.length).toBeGreaterThan(files.length);
  expect(
    needed.filter((path) => !taken.has(path) && !taken.has(path.split("/")[0] ?? "")),
  ).toStrictEqual([]);
});

test("compose runs every service from the image, read-only, with settings that the service has", () => {
  const services = Object.entries(yamlOf("deploy/compose.yaml")["services"]);
  const ours = services.filter(([, service]) => (service as { image: string }).image === "annals");
  const runs = ours.map(([, service]) =>
    (service as { command: string[] }).command.slice(-2).join(" "),
  );
  const verbs = SERVICES.flatMap((name) =>
    (name === "gateway" ? ["serve"] : ["migrate", "serve"]).map(
      (verb) => `services/${name}/dist/main.js ${verb}`,
    ),
  );
  expect(runs.toSorted()).toStrictEqual(verbs.toSorted());
  for (const [name, service] of ours) {
    expect(service).toMatchObject({ read_only: true, cap_drop: ["ALL"] });
    // A colon and a space in a text without quotes make an object of it.
    const { test: asked } = (service as { healthcheck: { test: unknown[] } }).healthcheck;
    if (!name.endsWith("-migrate")) expect(asked[3], name).toContain("? 0 : 1");
    const settings = settingsOf(name.replace(/-migrate$/, ""));
    const given = Object.keys((service as { environment: object }).environment);
    expect(
      given.filter((variable) => !settings.has(variable)),
      name,
    ).toStrictEqual([]);
  }
});

test("compose and the chart set no option of Node.js or malloc: the image has them from one file", () => {
  const options = textOf("deploy/node-options.txt");
  for (const name of SERVICES) expect(options).toMatch(new RegExp(`^${name} --\\S+`, "m"));
  const elsewhere = FILES.filter(({ path }) => /^(deploy|helm)\//.test(path)).filter(
    ({ path, text }) => path !== "deploy/node-options.txt" && OPTION.test(text),
  );
  expect(elsewhere.map(({ path }) => path).filter((path) => !path.endsWith(".test.ts"))).toEqual(
    [],
  );
});

test("the prune of the image removes fixtures, tests and sources, and keeps what runs", () => {
  const [, command = ""] = /&& (find libs services proto .*)$/m.exec(DOCKERFILE) ?? [];
  const folder = mkdtempSync(join(tmpdir(), "annals-image-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const emitted = FILES.flatMap(({ path }) => {
    const module = /^((?:libs|services)\/[^/]+)\/src\/(.+)\.ts$/.exec(path);
    return module ? [`${module[1]}/src/${module[2]}.ts`, `${module[1]}/dist/${module[2]}.js`] : [];
  });
  for (const path of [...emitted, "proto/gen/x.js", "libs/rpc/dist/x.js.map"]) {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), "");
  }
  execFileSync("/bin/sh", ["-c", command], { cwd: folder });
  const kept = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) =>
    path.includes("."),
  );
  const product = PRODUCT.filter(({ path }) => /^(libs|services)\//.test(path)).map(({ path }) =>
    path.replace("/src/", "/dist/").replace(/\.ts$/, ".js"),
  );
  expect(kept.toSorted()).toStrictEqual([...product, "proto/gen/x.js"].toSorted());
  const fixtures = emitted.filter((path) => path.includes("/dist/testing/"));
  expect(fixtures.length).toBeGreaterThan(3);
});
