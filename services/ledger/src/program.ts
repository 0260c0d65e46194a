// The program of the ledger: `serve`, `migrate`, `distribute`, and the operator's commands `heads`,
// `check-heads`, `erasures`, `holds`, `log`, `retention`, `verify`. Called by main.ts.

import { serving } from "@annals/chassis";
import { distributeCommand } from "@annals/postgres";
import {
  cancelErasureCommand,
  listErasuresCommand,
  reapplyErasures,
  requestErasureCommand,
  showErasures,
} from "./erasures/commands/erasures.ts";
import { checkHeads, heads } from "./verify/commands/heads.ts";
import { listHoldsCommand, placeHoldCommand, releaseHoldCommand } from "./holds/commands/holds.ts";
import { logStatus, logSucceed } from "./log/commands/log.ts";
import { migrate } from "./commands/migrate.ts";
import { setRetentionCommand, showRetentionCommand } from "./retention/commands/retention.ts";
import { verify } from "./verify/commands/verify.ts";
import { SETTINGS } from "./config.ts";

export const PROGRAM = {
  service: "ledger",
  settings: SETTINGS,
  serve: serving(() => import("./serve.ts")),
  commands: {
    settings: SETTINGS,
    migrate,
    operator: [
      heads,
      checkHeads,
      requestErasureCommand,
      showErasures,
      cancelErasureCommand,
      listErasuresCommand,
      reapplyErasures,
      placeHoldCommand,
      releaseHoldCommand,
      listHoldsCommand,
      showRetentionCommand,
      setRetentionCommand,
      logStatus,
      logSucceed,
      verify,
      distributeCommand({ schema: "ledger", servesAnywhere: true }),
    ],
  },
};
