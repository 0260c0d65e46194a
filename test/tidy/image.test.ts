// Guarantee: what runs from source also runs from the image, which has emitted JavaScript, production
// dependencies, no fixture and no test. The other steps of deploy/Dockerfile need the network and do not
// run here.

import { execFileSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { withoutDigests } from "../../deploy/release/image-without-registry.ts";
import {
  exists,
  FILES,
  matches,
  type Node,
  PRODUCT,
  ROOT,
  SERVICES,
  settingsOf,
  textOf,
  yamlOf,
} from "../../deploy/generate/sources.ts";

const DOCKERFILE = textOf("deploy/Dockerfile");

/** An option of V8 or a variable of malloc, as it would be given to a process. */
const OPTION = /--(max-semi-space-size|heap-growing-percent|no-allocation-site)|MALLOC_ARENA_MAX/;

/** The packages that the image holds, proto aside, which is JavaScript as it is. */
const PACKAGES = FILES.flatMap(
  ({ path }) =>
    /^((?:libs|services)\/(?!testing|certificates).+)\/package\.json$/.exec(path)?.[1] ?? [],
);

test.each(PACKAGES)("what %s exports is what tsc emits: dist/x.js of src/x.ts", (folder) => {
  const { exports = {} } = JSON.parse(textOf(`${folder}/package.json`)) as Node;
  for (const { source, default: emitted } of Object.values(exports as Node)) {
    expect(exists(join(folder, source)), source).toBe(true);
    expect(emitted).toBe(source.replace(/^\.\/src\//, "./dist/").replace(/\.ts$/, ".js"));
  }
  const { compilerOptions } = JSON.parse(textOf(`${folder}/tsconfig.json`)) as Node;
  expect(compilerOptions).toMatchObject({ rootDir: "src", outDir: "dist" });
});

test("the image builds and runs every service, as an ordinary user and without a debugger", () => {
  for (const service of SERVICES) expect(DOCKERFILE).toContain(`services/${service}`);
  for (const path of [
    "packages/annals",
    "packages/dashboard/static",
    "packages/viewer/dist/viewer.js",
    "deploy/entrypoint.mjs",
  ])
    expect(DOCKERFILE).toContain(`COPY --from=build /annals/${path}`);
  for (const folder of ["services/*", "packages/annals"])
    expect(DOCKERFILE).toContain(`--filter-prod '{./${folder}}...'`);
  expect(DOCKERFILE).toMatch(/^USER [1-9]\d*:[1-9]\d*$/m);
  expect(DOCKERFILE).toContain('ENTRYPOINT ["/annals/deploy/entrypoint.mjs"]');
  expect(textOf("deploy/entrypoint.mjs")).toMatch(/^#!\S+ --disable-sigusr1$/m);
  expect(textOf("deploy/entrypoint.mjs")).toContain('[process.execPath, "--disable-sigusr1",');
  expect(DOCKERFILE).not.toContain("--inspect");
  // Two stages of the same system, pinned, and the same version as the project's own Node.
  const bases = new Set(matches(DOCKERFILE, /^FROM (\S+)/gm));
  expect(bases.size).toBe(1);
  const { node } = (JSON.parse(textOf("package.json")) as Node)["devDependencies"];
  const [, tag, digest] = /^(.+)@sha256:([0-9a-f]{64})$/.exec([...bases][0] ?? "") ?? [];
  expect(tag).toBe(`node:${node}-bookworm-slim`);
  expect(digest).toBeDefined();
  expect(matches(withoutDigests(DOCKERFILE), /^FROM (\S+)/gm)).toStrictEqual([tag, tag]);
});

test("what the install needs of the checkout is in the image's context, patches among it", () => {
  const patches = Object.values<string>(yamlOf("pnpm-workspace.yaml")["patchedDependencies"]);
  const needed = ["package.json", "pnpm-lock.yaml", "pnpm-workspace.yaml", ...patches];
  const taken = matches(readFileSync(join(ROOT, ".dockerignore"), "utf8"), /^!(.+)$/gm);
  expect(patches.length).toBeGreaterThan(0);
  for (const path of needed) expect(taken).toContain(path.split("/")[0]);
  // What browsers load is bundled there, from sources.
  const bundled = matches(
    textOf("deploy/bundle/bundle.mjs") + textOf("deploy/bundle/in-browsers.mjs"),
    /(packages\/[\w-]+)\/src/g,
  );
  expect(taken).toEqual(expect.arrayContaining(bundled));
});

test("compose runs every service from the image, read-only, with settings that the service has", () => {
  const services = Object.entries<Node>(yamlOf("deploy/compose.yaml")["services"]);
  const ours = services.filter(([, { image }]) => image === "annals");
  const runs = ours.map(([, { command }]): string => command.slice(-2).join(" "));
  const verbs = SERVICES.flatMap((name) =>
    (name === "gateway" ? ["serve"] : ["migrate", "serve"]).map(
      (verb) => `services/${name}/dist/main.js ${verb}`,
    ),
  );
  expect(runs.toSorted()).toStrictEqual(verbs.toSorted());
  for (const [name, service] of ours) {
    expect(service).toMatchObject({ read_only: true, cap_drop: ["ALL"] });
    // A colon and a space in a text without quotes make an object of it.
    if (!name.endsWith("-migrate")) expect(service["healthcheck"].test[3]).toContain("? 0 : 1");
    const settings = settingsOf(name.replace(/-migrate$/, ""));
    for (const given of Object.keys(service["environment"])) expect(settings).toContain(given);
  }
});

test("compose pins its images, and keeps the gateway away from PostgreSQL and NATS", () => {
  const { networks, services } = yamlOf("deploy/compose.yaml");
  const all = Object.entries<Node>(services);
  for (const [name, { image }] of all)
    if (image !== "annals") expect(image, name).toMatch(/:v?\d+\.\d+(\.\d+)?(@sha256:\w{64})?$/);
  const within = (network: string) =>
    all.filter(([, each]) => each["networks"].includes(network)).map(([name]) => name);
  expect(within("backing")).toEqual(expect.arrayContaining(["postgres", "nats", "ledger"]));
  expect(within("backing")).not.toContain("gateway");
  expect(within("outside")).toStrictEqual([
    "webhook-dispatcher",
    "gateway",
    "prometheus",
    "grafana",
  ]);
  expect(networks).toMatchObject({ services: { internal: true }, backing: { internal: true } });
});

test("make-secrets.sh makes what compose reads, for its owner alone, and keeps it", () => {
  const folder = mkdtempSync(join(tmpdir(), "annals-secrets-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = (name: string) => readFileSync(join(folder, name), "utf8");
  const mode = (name: string) => (statSync(join(folder, name)).mode & 0o777).toString(8);
  const make = () => execFileSync("sh", [join(ROOT, "deploy/make-secrets.sh"), folder]);
  make();
  const secrets = ["admission-secret", "webhook-keys", "log-key"];
  const files = () => [file(".env"), ...secrets.map((name) => file(`secrets/${name}`))];
  const made = files();
  const wanted = matches(textOf("deploy/compose.yaml"), /\$\{(ANNALS_\w+_PASSWORD)/g);
  for (const name of new Set(wanted))
    expect(made[0]).toMatch(new RegExp(`^${name}=p\\w{48}$`, "m"));
  expect(made.slice(1).join("")).toMatch(/^(k1:[A-Za-z0-9+/]{43}=\n){2}[A-Za-z0-9+/]{43}=\n$/);
  expect([mode(".env"), mode("secrets")]).toStrictEqual(["600", "700"]);
  make();
  expect(files()).toEqual(made);
});

test("compose and the chart set no option of Node.js or malloc: the image has them from one file", () => {
  const options = textOf("deploy/node-options.txt");
  for (const name of SERVICES) expect(options).toMatch(new RegExp(`^${name} --\\S+`, "m"));
  const elsewhere = FILES.filter(
    ({ path, text }) =>
      /^(deploy|helm)\/(?!node-options\.txt|.*\.test\.ts$)/.test(path) && OPTION.test(text),
  );
  expect(elsewhere.map(({ path }) => path)).toStrictEqual([]);
});

test("the prune of the image removes fixtures, tests and sources, and keeps what runs", () => {
  const [command = ""] = matches(
    DOCKERFILE,
    /&& (find libs packages\/annals services proto .*) \\$/gm,
  );
  const folder = mkdtempSync(join(tmpdir(), "annals-image-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const sources = FILES.map(({ path }) => path).filter((path) =>
    /^((libs|services)\/[^/]+|packages\/annals)\/src\/.+\.ts$/.test(path),
  );
  const emittedOf = (path: string) => path.replace("/src/", "/dist/").replace(/ts$/, "js");
  const emitted = sources.map(emittedOf);
  for (const path of [...sources, ...emitted, "proto/gen/x.js", "libs/rpc/dist/x.js.map"]) {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), "");
  }
  execFileSync("/bin/sh", ["-c", command], { cwd: folder });
  const kept = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) =>
    path.includes("."),
  );
  const product = PRODUCT.map(({ path }) => path).filter((path) => sources.includes(path));
  expect(kept.toSorted()).toStrictEqual([...product.map(emittedOf), "proto/gen/x.js"].toSorted());
  expect(emitted.filter((path) => path.includes("/dist/testing/")).length).toBeGreaterThan(3);
});
