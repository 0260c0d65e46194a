// Clients generated from /openapi.json work, and so does the SDK for Python: they compile under strict rules,
// each makes every call of the interface, and what they send and get is as the document says.

import { V1 } from "@annals/gateway/src/v1.ts";
import { markDelivered, markRejected, newAccount, ownerOf, type Traffic } from "@annals/testing";
import { createClient } from "@hey-api/openapi-ts";
import { execFile } from "node:child_process";
import { copyFile, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import openapiTS, { astToString } from "openapi-typescript";
import { beforeAll, expect, inject, onTestFinished, test } from "vitest";
import { leaveOut } from "../../system/needs.ts";
import { hasPython310 } from "../../system/programs.ts";
import { Contract } from "../../system/openapi-contract.ts";
import { putArchive } from "../archives/archive-rows.ts";

const PYTHON_GENERATOR = "openapi-python-client==0.29.1";
const INSTALLED_WITHIN_MS = 60_000;
/** Generators and compilers take seconds, and many on a machine that does other things. */
const TIMEOUT_MS = 180_000;

const run = promisify(execFile);
const { baseUrl, databaseUrl } = inject("stack");
const programs = join(import.meta.dirname, "clients");
// Below test/node_modules, so that what is generated finds its packages, and no check reads it.
const cache = join(import.meta.dirname, "../../node_modules/.cache/annals-clients");
const generated = join(cache, "generated");
const documentPath = join(cache, "openapi.json");
const SDK = join(import.meta.dirname, "../../../packages/sdk-python/src");
const tsc = join(import.meta.dirname, "../../../node_modules/typescript/bin/tsc");

let contract: Contract;

beforeAll(async () => {
  await rm(generated, { recursive: true, force: true });
  await mkdir(generated, { recursive: true });
  await writeFile(join(generated, "package.json"), JSON.stringify({ type: "module" }));
  const text = await (await fetch(`${baseUrl}/openapi.json`)).text();
  await writeFile(documentPath, text);
  contract = new Contract(JSON.parse(text));
});

/** `POST /v1/webhooks/{}/test` of each operation, and of a request. */
const OPERATIONS = V1.map(
  ([method, path]) => `${String(method)} /v1${path.replaceAll(/:\w+|\*/g, "{}")}`,
);
const operationOf = (method: string, path: string) =>
  `${method} ${path
    .replaceAll(
      /\/(key|evt|field|wh_del|wh|exp|wtok|hold|era|arc|sink|rmap|wkl|srch)_[0-9a-z]+/g,
      "/{}",
    )
    .replace("/0/", "/{}/")
    .replace(/\/000$/, "/{}")}`;

/** `fetch` that holds all traffic to the document, and what it has called. */
function watched(accountId: string): {
  readonly fetch: typeof fetch;
  readonly called: Set<string>;
} {
  const called = new Set<string>();
  const watching: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    const body = request.body === null ? undefined : await request.clone().text();
    if (request.url.endsWith("/skip")) await markRejected(databaseUrl, accountId, 2);
    const response = await fetch(request);
    const text = await response.clone().text();
    const { pathname, search } = new URL(request.url);
    called.add(operationOf(request.method, pathname));
    if (request.method === "POST" && pathname === "/v1/webhooks") {
      await markDelivered(databaseUrl, accountId);
    }
    const traffic: Traffic = {
      method: request.method,
      path: pathname + search,
      headers: Object.fromEntries(request.headers),
      body,
      answer: {
        status: response.status,
        headers: Object.fromEntries(response.headers),
        text,
        body: text.startsWith("{") ? JSON.parse(text.split("\n")[0] ?? "") : undefined,
      },
    };
    expect(contract.faults(traffic)).toEqual([]);
    expect(response.status, text).toBeLessThan(300);
    return response;
  };
  return { fetch: watching, called };
}

const STRICT = {
  compilerOptions: {
    target: "es2024",
    lib: ["es2024", "dom", "dom.iterable"],
    module: "nodenext",
    types: ["node"],
    strict: true,
    noImplicitOverride: true,
    noUncheckedIndexedAccess: true,
    noUnusedLocals: true,
    outDir: "out",
  },
};

const GENERATORS = {
  "openapi-fetch": async (directory: string) => {
    const types = await openapiTS(new URL(`file://${documentPath}`));
    await writeFile(join(directory, "types.ts"), astToString(types));
  },
  "hey-api": async (directory: string) => {
    await createClient({
      input: documentPath,
      output: { path: directory, module: { extension: ".js" } },
      plugins: ["@hey-api/client-fetch", "@hey-api/sdk", "@hey-api/typescript"],
      logs: { level: "silent" },
    });
  },
};

test.each(Object.entries(GENERATORS))(
  "TypeScript: %s",
  { timeout: TIMEOUT_MS },
  async (name, generate) => {
    const directory = join(generated, name);
    await mkdir(directory, { recursive: true });
    await generate(directory);
    await copyFile(join(programs, `${name}.mts`), join(directory, "program.mts"));
    await writeFile(join(directory, "tsconfig.json"), JSON.stringify(STRICT));
    await run(process.execPath, [tsc, "--project", directory]).catch(({ stdout }) =>
      expect.fail(stdout),
    );
    const { callEach } = await import(join(directory, "out/program.mjs"));
    const { accountId, key } = await newAccount(databaseUrl);
    const owner = ownerOf(databaseUrl);
    onTestFinished(() => owner.close());
    await putArchive({ ...inject("stack"), owner, accountId, id: "arc_1" });
    const { fetch: watching, called } = watched(accountId);
    await callEach({ baseUrl, key, fetch: watching });
    expect([...called].toSorted()).toEqual(OPERATIONS.toSorted());
  },
);

test("Python: openapi-python-client", { timeout: TIMEOUT_MS }, async () => {
  const python = await pythonWithGenerator().catch((error: Error) => error);
  if (python instanceof Error) {
    leaveOut("openapi-python-client", python.message);
    return;
  }
  const directory = join(generated, "annals_client");
  const options = ["--path", documentPath, "--output-path", directory, "--meta", "none"];
  await run(python, ["-m", "openapi_python_client", "generate", ...options, "--overwrite"]);
  await run(python, ["-m", "compileall", "-q", directory]);
  const called = await callsOf(python, "python_client.py", generated);
  expect(called).toEqual(OPERATIONS.toSorted());
});

test("Python: annals-sdk", { timeout: TIMEOUT_MS }, async () => {
  const called = hasPython310 ? await callsOf("python3", "python_sdk.py", SDK) : undefined;
  expect(called ?? OPERATIONS.toSorted()).toEqual(OPERATIONS.toSorted());
});

/** The operations that a program in Python has called: it prints the method and the path of each request. */
async function callsOf(python: string, program: string, packages: string): Promise<string[]> {
  const { accountId, key } = await newAccount(databaseUrl);
  let isDone = false;
  const running = run(python, [join(programs, program), baseUrl, key], {
    env: { ...process.env, PYTHONPATH: packages, PYTHONDONTWRITEBYTECODE: "1" },
  }).finally(() => (isDone = true));
  while (!isDone) {
    await markDelivered(databaseUrl, accountId);
    await Promise.race([running.catch(() => {}), pause(10)]);
  }
  const { stdout } = await running;
  const lines = stdout.trim().split("\n");
  const called = lines.map((line) => operationOf(...(line.split(" ") as [string, string])));
  return [...new Set(called)].toSorted();
}

/** The interpreter of an environment that has the generator; it is made once and kept. */
async function pythonWithGenerator(): Promise<string> {
  const environment = join(cache, "python", PYTHON_GENERATOR);
  const python = join(environment, "bin/python");
  const limits = { timeout: INSTALLED_WITHIN_MS };
  try {
    await run(python, ["-c", "import openapi_python_client"]);
  } catch {
    await run("python3", ["-m", "venv", environment], limits);
    await run(python, ["-m", "pip", "install", "--quiet", PYTHON_GENERATOR], limits);
  }
  return python;
}
