// Guarantee: what runs from source also runs from the image, where Node reads emitted JavaScript and
// only production dependencies are there. The steps of deploy/Dockerfile themselves need the network
// and are not run here.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { settingsOf, textOf, yamlOf } from "./deployment.ts";
import { FILES, importsOf, packageOf, PRODUCT, ROOT, SERVICES } from "./sources.ts";

const DOCKERFILE = textOf("deploy/Dockerfile");

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

test("the image builds and runs every service, as nobody in particular and without a debugger", () => {
  for (const service of SERVICES) expect(DOCKERFILE).toContain(`services/${service}`);
  expect(DOCKERFILE).toMatch(/^USER [1-9]\d*:[1-9]\d*$/m);
  expect(DOCKERFILE).toContain('ENTRYPOINT ["node", "--disable-sigusr1"]');
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

test("npm start and the image give the services one arena of malloc", () => {
  expect(textOf("deploy/Dockerfile")).toMatch(/^ENV .*\bMALLOC_ARENA_MAX=1$/m);
  expect(textOf("deploy/local/src/service-process.ts")).toContain('MALLOC_ARENAS = "1"');
});

test("npm start, compose and the chart give a service the same flags of V8", () => {
  const source = textOf("deploy/local/src/service-process.ts");
  const chart = textOf("helm/annals/templates/_pod.tpl");
  const numberIn = (text: string, pattern: RegExp) => Number(pattern.exec(text)?.[1]);
  for (const name of SERVICES) {
    const mib = numberIn(source, new RegExp(`^  "?${name}"?: (\\d+),$`, "m"));
    const forAll = ["--no-allocation-site-pretenuring", "--heap-growing-percent=100"];
    const flags = [`--max-semi-space-size=${mib}`, ...forAll];
    expect(yamlOf("deploy/compose.yaml")["services"][name].command.slice(0, 3)).toStrictEqual(
      flags,
    );
    const inChart = numberIn(chart, new RegExp(`dict.* "${name}" (\\d+)`));
    expect(inChart || numberIn(chart, /default (\d+) \}\}/), name).toBe(mib);
    for (const flag of forAll) {
      for (const text of [source, chart]) expect(text).toContain(flag);
    }
  }
});
