// Starts the worker of sinks, with those of the operator's file. Called by serve.ts.

import { type Closers, trustedContext } from "@annals/chassis";
import { SYSTEM_ACCOUNT_ID } from "@annals/contract";
import type { OpenProducers } from "./clients.ts";
import { readOperatorSinks } from "./sinks/operator-sinks-file.ts";
import { accountResolver } from "./outbound/account-resolver.ts";
import { AddressGuard, isSystemName } from "./outbound/address-guard.ts";
import { dnsLookUp, withSystemNames } from "./outbound/look-up.ts";
import { openReceiver } from "./sinks/open-receiver.ts";
import type { TestSinkDeps } from "./sinks/rpc/test-sink.ts";
import { type OperatorSinksDeps, startOperatorSinks } from "./sinks/worker/operator-sinks.ts";
import { Sinks, type SinksDeps } from "./sinks/worker/sinks.ts";

interface StartDeps extends Omit<
  SinksDeps,
  "ledger" | "monotonicMs" | "openReceiver" | "operatorSinks" | "producers"
> {
  readonly extraAuthorities: string | undefined;
  readonly guard: AddressGuard;
  readonly producers: OpenProducers;
  readonly random: OperatorSinksDeps["random"];
}

interface StartedSinks {
  readonly sendTest: TestSinkDeps["sendTest"];
  /** Called when a sink was created or changed. */
  readonly onSink: () => void;
}

export async function startSinks(
  config: { readonly sinksFile: string | undefined; readonly timeoutMs: number },
  deps: StartDeps,
  closers: Closers,
): Promise<StartedSinks> {
  const operatorGuard = openOperatorGuard(config.timeoutMs);
  const operatorSinks = await readOperatorSinks(config.sinksFile, operatorGuard);
  const receiverDeps = { ...deps, secureContext: trustedContext(deps.extraAuthorities) };
  const operatorDeps = { ...receiverDeps, guard: operatorGuard };
  const sinkDeps: SinksDeps = {
    ...deps,
    ledger: deps.producers.streams,
    monotonicMs: () => performance.now(),
    openReceiver: (given, owner) =>
      openReceiver(given, owner === "operator" ? operatorDeps : receiverDeps),
    operatorSinks,
  };
  const sinks = new Sinks(sinkDeps);
  closers.addWorker("turns of sinks", sinks);
  const loop = sinks.start();
  closers.addWorker("sinks", loop);
  startRows({ ...deps, accounts: deps.producers.streams, operatorSinks }, closers);
  return {
    onSink: () => loop.expectWork(),
    sendTest: (sink, signal) => sinks.test(sink, signal),
  };
}

function startRows(deps: OperatorSinksDeps, closers: Closers): void {
  if (deps.operatorSinks.size === 0) return;
  closers.addWorker("sinks of the operator", startOperatorSinks(deps));
}

/**
 * Lets through what the operator names: it may be private, and be known to the system resolver alone. One
 * account stands for all, so that a name is resolved once for all of them.
 */
function openOperatorGuard(timeoutMs: number): AddressGuard {
  const lookUp = withSystemNames(dnsLookUp(), isSystemName);
  const resolve = accountResolver({ timeoutMs, lookUp });
  return new AddressGuard({
    allowPrivateAddresses: true,
    resolve: (hostname) => resolve(hostname, SYSTEM_ACCOUNT_ID),
  });
}
