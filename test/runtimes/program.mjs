// Runs calls.mjs as a program, and prints what it resolves to.

import { env, stdout } from "node:process";
import { calls } from "./calls.mjs";

stdout.write(JSON.stringify(await calls(env, JSON.parse(env.DELIVERY))));
