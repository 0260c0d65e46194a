// Guarantee: the module for Go that `npm run dist` makes is one that Go takes: it verifies its zip, and a
// program that imports it is built. The module proxy is a folder, so that nothing is fetched.

import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { goModuleFile, goModulePath, packGo } from "../../deploy/release/go-module.ts";
import { GO_ENV, hasGo } from "../system/go.ts";

const VERSION = "1.2.3";
const MODULE = join(import.meta.dirname, "../../packages/sdk-go");

const run = promisify(execFile);

/** Escapes a path as the module proxy does: a capital letter becomes `!` and the small letter. */
const escaped = (path: string) => path.replaceAll(/[A-Z]/g, (letter) => `!${letter.toLowerCase()}`);

test.runIf(hasGo)("a program imports the module that a release has", async () => {
  const folder = mkdtempSync(join(tmpdir(), "annals-go-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = goModulePath();
  const versions = join(folder, "proxy", escaped(path), "@v");
  const program = join(folder, "program");
  for (const each of [versions, program]) mkdirSync(each, { recursive: true });
  await packGo(VERSION, folder, "");
  renameSync(join(folder, goModuleFile(VERSION)), join(versions, `v${VERSION}.zip`));
  copyFileSync(join(MODULE, "go.mod"), join(versions, `v${VERSION}.mod`));
  writeFileSync(join(versions, `v${VERSION}.info`), JSON.stringify({ Version: `v${VERSION}` }));
  writeFileSync(
    join(program, "go.mod"),
    `module program.test\n\ngo 1.24\n\nrequire ${path} v${VERSION}\n`,
  );
  writeFileSync(
    join(program, "main.go"),
    `package main\n\nimport (\n"fmt"\n\nannals "${path}"\n)\n\nfunc main() { fmt.Println(annals.NotFound) }\n`,
  );
  const env = {
    ...GO_ENV,
    GOFLAGS: "-mod=mod -modcacherw",
    GOMODCACHE: join(folder, "cache"),
    GOPROXY: `file://${join(folder, "proxy")}`,
    GONOSUMDB: "*",
    GOSUMDB: "off",
  };
  const { stdout } = await run("go", ["run", "."], { cwd: program, env });
  expect(stdout).toBe("not_found\n");
});
