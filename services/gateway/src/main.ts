// The gateway as a process: `serve`.

import { main, run } from "@annals/chassis";
import { SETTINGS } from "./config.ts";
import { serve } from "./serve.ts";

await main({
  service: "gateway",
  environment: process.env,
  argv: process.argv.slice(2),
  settings: SETTINGS,
  serve: ({ config, log }) =>
    run({
      log,
      exitWithStdin: config.exitWithStdin,
      serve: (closers) => serve(config, log, closers),
    }),
});
