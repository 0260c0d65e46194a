// The program of the gateway: `serve`. Called by main.ts.

import { serving } from "@annals/chassis";
import { SETTINGS } from "./config.ts";

export const PROGRAM = {
  service: "gateway",
  settings: SETTINGS,
  serve: serving(() => import("./serve.ts")),
};
