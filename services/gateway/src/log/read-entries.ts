// GET /v1/log/tile/entries/{index} (docs/evidence.md): a bundle of entries of the account's log.

import { Type } from "typebox";
import type { IncomingHttpHeaders } from "node:http";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { admittedBy } from "../admission/admission.ts";
import { takesGzip } from "../render/negotiation.ts";
import { TileIndex, tileOf } from "./tile-path.ts";
import { type Route, route } from "../route.ts";
import type { Deps } from "../deps.ts";

const compress = promisify(gzip);

export function readEntries({ ledger }: Pick<Deps, "ledger">): Route {
  return route({
    summary: "Get a bundle of entries of the log",
    description:
      "256 entries, or as many as the width of a partial bundle, each behind its length in two bytes. An entry is " +
      "the text that the hash of an event is made of. Returns 404 for any other path, and for what no served epoch " +
      "covers.",
    window: "log",
    params: Type.Object({ index: TileIndex }),
    success: { status: 200, mediaTypes: { "application/octet-stream": "" } },
    failures: [404],
    handle: async ({ admission, headers, signal, url }) => {
      const { index, width } = tileOf(url);
      const request = { accountId: admission.accountId, index: BigInt(index), width };
      const { entries } = await ledger.readEntries(request, admittedBy(admission, signal));
      const type = { "content-type": "application/octet-stream" };
      const { "accept-encoding": accepted } = headers as IncomingHttpHeaders;
      if (!takesGzip(accepted)) return { headers: type, body: Buffer.from(entries) };
      return { headers: { ...type, "content-encoding": "gzip" }, body: await compress(entries) };
    },
  });
}
