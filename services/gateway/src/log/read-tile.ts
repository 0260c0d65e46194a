// GET /v1/log/tile/{level}/{index} (docs/evidence.md): the hashes of a tile of the account's log.

import { Type } from "typebox";
import { admittedBy } from "../admission/admission.ts";
import { TileIndex, tileOf } from "./tile-path.ts";
import { type Route, route } from "../route.ts";
import type { Deps } from "../deps.ts";

export function readTile({ ledger }: Pick<Deps, "ledger">): Route {
  return route({
    summary: "Get a tile of the log",
    description:
      "256 hashes of 32 bytes; a partial tile has as many as its width. Returns 404 for any other path, and for " +
      "what no served epoch covers.",
    window: "log",
    params: Type.Object({
      level: Type.String({ pattern: "^\\d{1,2}$", description: "0 to 63.", examples: ["0"] }),
      index: TileIndex,
    }),
    success: { status: 200, mediaTypes: { "application/octet-stream": "" } },
    failures: [404],
    handle: async ({ admission, signal, url }) => {
      const { index, level, width } = tileOf(url);
      const request = {
        accountId: admission.accountId,
        level: Number(level),
        index: BigInt(index),
        width,
      };
      const { hashes } = await ledger.readTile(request, admittedBy(admission, signal));
      return {
        headers: { "content-type": "application/octet-stream" },
        body: Buffer.from(hashes),
      };
    },
  });
}
