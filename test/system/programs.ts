// Programs of the machine that tests use: whether they are there.

import { spawnSync } from "node:child_process";
import { has } from "./needs.ts";

const runs = (command: string, argument: string) => spawnSync(command, [argument]).status === 0;

export const hasPython = has("python3", runs("python3", "--version"));
export const hasOpenssl = has("openssl", runs("openssl", "version"));

const IS_310 = "import sys; sys.exit(sys.version_info < (3, 10))";
export const hasPython310 = has("Python 3.10", spawnSync("python3", ["-c", IS_310]).status === 0);
