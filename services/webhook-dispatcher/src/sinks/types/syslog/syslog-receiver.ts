// Sends batches as syslog over TLS (RFC 5424, RFC 5425), each on a connection of its own. Called by
// open-receiver.ts. A batch is accepted when the server has read it. Syslog acknowledges nothing: what a
// server loses after that is found by the numbers of the records alone.

import type { SinkConfigs } from "@annals/interface";
import { hostOf } from "../../../outbound/address-guard.ts";
import { outcomeOf } from "../../../outbound/exchange.ts";
import { CollectedBatch } from "../../receiver/collected-batch.ts";
import { failureSentence } from "../../receiver/failure-sentence.ts";
import { BATCH_TIMEOUT_MS, type SinkDeps } from "../../receiver/sink-http.ts";
import type { SinkReceiver, SinkResult } from "../../receiver/sink-receiver.ts";
import { type ConnectionEnd, SyslogConnection } from "./syslog-connection.ts";
import { syslogFrame } from "./syslog-message.ts";

export function syslogReceiver(config: SinkConfigs["syslog"], deps: SinkDeps): SinkReceiver {
  const { timeoutMs = BATCH_TIMEOUT_MS } = deps;
  return {
    open: ({ accountId }) =>
      new CollectedBatch(deps.log, async (records, signal) => {
        const connection = connect(config, { ...deps, timeoutMs }, accountId);
        if (connection === undefined) return failure("address", timeoutMs);
        const bytes = Buffer.concat(records.map((record) => syslogFrame(accountId, record)));
        const end = Promise.withResolvers<ConnectionEnd>();
        const timer = setTimeout(() => end.resolve("timeout"), timeoutMs);
        const abandon = (): void => end.resolve("abandoned");
        signal.addEventListener("abort", abandon, { once: true });
        if (signal.aborted) abandon();
        try {
          const ended = await Promise.race([connection.send(bytes), end.promise]);
          return ended === undefined ? { outcome: "accepted" } : failure(ended, timeoutMs);
        } finally {
          clearTimeout(timer);
          signal.removeEventListener("abort", abandon);
          connection.destroy();
        }
      }),
    close: () => {},
  };
}

function connect(
  { host, port }: SinkConfigs["syslog"],
  { guard, secureContext, timeoutMs }: SinkDeps & { readonly timeoutMs: number },
  accountId: string,
): SyslogConnection | undefined {
  if (!guard.mayConnect(hostOf({ hostname: host } as URL))) return undefined;
  const lookup = guard.lookupFor(accountId);
  return new SyslogConnection({ host, port, lookup, secureContext, timeoutMs });
}

function failure(ended: ConnectionEnd, timeoutMs: number): SinkResult {
  const outcome = typeof ended === "string" ? ended : outcomeOf(ended);
  const errorCode = typeof ended === "string" ? undefined : ended.code;
  const error =
    ended === "connection"
      ? "The receiver closed the connection."
      : failureSentence(outcome, { errorCode, timeoutMs });
  return { outcome, error };
}
