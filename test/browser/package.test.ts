// Guarantee: the viewer as it is published needs nothing private and stays within its budget. From the
// tarball it works as it is, with its worker, and bundled into an application; on a server it does nothing.

import { build } from "esbuild";
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import {
  compile,
  install,
  type Installed,
  packageFaults,
  PACKED_WITHIN_MS,
} from "../sdk/installed.ts";
import { openBrowser } from "./chromium.ts";
import { embed } from "./embed.ts";
import { accountWith } from "./events.ts";

const stack = inject("stack");

let installed: Installed;
let browser: Browser;
beforeAll(async () => {
  [installed, browser] = await Promise.all([install("viewer", "@annals/viewer"), openBrowser()]);
}, PACKED_WITHIN_MS);
afterAll(() => Promise.all([installed?.remove(), browser?.close()]));

test("nothing keeps it from being published", async () => {
  const budget = {
    tarball: 50_500,
    files: { "dist/viewer.js": 39_600 },
    isCommonJsToo: false,
  };
  expect(await packageFaults(installed, budget)).toEqual([]);
});

test("its types are strict, and say what an element and its events have", async () => {
  const { folder } = installed;
  const typed = `import "@annals/viewer";
    import type { AnnalsViewerElement, WidgetToken } from "@annals/viewer";
    export const viewer: AnnalsViewerElement = document.createElement("annals-viewer");
    viewer.tokenProvider = async (): Promise<WidgetToken> => ({ token: "t", expires_at: "2026-01-01T00:00:00Z" });
    viewer.filter = { action: "invoice.*" };`;
  const listener = (member: string) => `import "@annals/viewer";
    document.createElement("annals-viewer")
      .addEventListener("annals-select", ({ detail }): string => detail.event.${member});`;
  await writeFile(join(folder, "typed.mts"), typed);
  await writeFile(join(folder, "listener.mts"), listener("action"));
  await writeFile(join(folder, "wrong.mts"), listener("actions"));
  const strict = { types: [], skipLibCheck: false };
  expect(await compile(folder, ["typed.mts", "listener.mts"], strict)).toBe("");
  expect(await compile(folder, ["wrong.mts"], strict)).toMatch(/wrong\.mts\(3,.*'actions'/);
});

test.each(["as it is", "bundled"])("%s, it shows events and verifies them", async (how) => {
  const path = how === "bundled" ? "/application.js" : "/viewer.js";
  const { client } = await accountWith(stack, 2);
  const content = how === "bundled" ? await bundled() : await fileOf("dist/viewer.js");
  const { baseUrl } = stack;
  const { viewer, page } = await embed(browser, { baseUrl, client, file: { path, content } });
  await viewer.getByText("All 2 loaded events are verified").waitFor();
  expect(page.workers().length).toBe(how === "bundled" ? 0 : 1);
});

test("on a server it does nothing, and its examples are there", async () => {
  await writeFile(join(installed.folder, "server.mjs"), `await import("@annals/viewer");`);
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ["server.mjs"], {
    cwd: installed.folder,
  });
  expect(stdout + stderr).toBe("");
  for (const name of ["audit-log.jsx", "audit-log.vue", "index.html", "token_server.py"])
    expect(await fileOf(`examples/${name}`)).toContain("annals");
});

const fileOf = (name: string) =>
  readFile(join(installed.folder, "node_modules/@annals/viewer", name), "utf8");

async function bundled(): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: `import "@annals/viewer";`, resolveDir: installed.folder },
    bundle: true,
    write: false,
    format: "esm",
    target: "es2022",
    minify: true,
    logLevel: "error",
  });
  return outputFiles[0]?.text ?? "";
}
