// The gateway as a process.

import { main } from "@annals/chassis";
import { PROGRAM } from "./program.ts";

await main({ ...PROGRAM, environment: process.env, argv: process.argv.slice(2) });
