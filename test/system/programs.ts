// Programs of the machine that tests use: whether they are there.

import { spawnSync } from "node:child_process";
import { has } from "./needs.ts";

const runs = (command: string, argument: string) => spawnSync(command, [argument]).status === 0;

export const hasPython = has("python3", runs("python3", "--version"));
export const hasOpenssl = has("openssl", runs("openssl", "version"));
