// Go on this machine, as tests call it: whether it compiles packages/sdk-go, and its environment. Imported by
// what uses Go alone, so that no other run says that it is left out.

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { has } from "./needs.ts";

const MINOR = 24;

/** No other toolchain is fetched, and no workspace around the checkout counts. */
export const GO_ENV = { ...process.env, GOTOOLCHAIN: "local", GOWORK: "off" };

const run = promisify(execFile);

/** Empty if the program is missing or fails. */
const said = (file: string, ...words: readonly string[]): Promise<string> =>
  run(file, words, { env: GO_ENV }).then(
    ({ stdout }) => stdout,
    () => "",
  );

async function compiles(): Promise<boolean> {
  const version = await said("go", "env", "GOVERSION");
  const [, major, minor] = /^go(\d+)\.(\d+)/.exec(version) ?? [];
  return Number(major) > 1 || (Number(major) === 1 && Number(minor) >= MINOR);
}

const compilesC = async () => (await said(process.env["CC"] ?? "gcc", "--version")) !== "";

export const hasGo = has("Go 1.24", await compiles());
export const hasRaceDetector = hasGo && has("the race detector of Go", await compilesC());
