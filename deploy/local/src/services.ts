// The services of the system and what each gets: one table. Called by settings.ts and stack.ts. It must never
// hold anything about how a service works inside.

import { existsSync } from "node:fs";
import { resolve } from "node:path";

/** What the stack gives to a service besides its own ports. */
export interface ServiceDefinition {
  /** Has a schema: `migrate` runs before any `serve`. */
  readonly migrates: boolean;
  /** Gets ANNALS_DATABASE_URL. */
  readonly stores: boolean;
  /** Gets the addresses of these services. */
  readonly calls: readonly ServiceName[];
  /** Has the public HTTP port besides its admin port, and no RPC port. */
  readonly isPublic: boolean;
}

/** Every service, in the order in which they are stopped from the last to the first. */
export const SERVICE_NAMES = ["keys", "ledger", "export", "webhook-dispatcher", "gateway"] as const;
export type ServiceName = (typeof SERVICE_NAMES)[number];

export const SERVICES: Readonly<Record<ServiceName, ServiceDefinition>> = {
  keys: {
    migrates: true,
    stores: true,
    calls: ["ledger", "export", "webhook-dispatcher"],
    isPublic: false,
  },
  ledger: { migrates: true, stores: true, calls: ["keys"], isPublic: false },
  export: { migrates: true, stores: true, calls: ["ledger"], isPublic: false },
  "webhook-dispatcher": {
    migrates: true,
    stores: true,
    calls: ["ledger", "export"],
    isPublic: false,
  },
  gateway: {
    migrates: false,
    stores: false,
    calls: ["keys", "ledger", "export", "webhook-dispatcher"],
    isPublic: true,
  },
};

/** The file that Node.js runs for a service: absolute, or relative to the folder that holds `services`. */
export type EntryFile = (service: ServiceName) => string;

export const SOURCE: EntryFile = (service) => `services/${service}/src/main.ts`;

/** The services that are built: those whose entry file is there. */
export function builtServices(root: string, entryFile: EntryFile): ServiceName[] {
  return SERVICE_NAMES.filter((service) => existsSync(resolve(root, entryFile(service))));
}

/**
 * The variable that names the address of a service: ANNALS_WEBHOOK_DISPATCHER_ADDRESS and the like.
 */
export function addressVariable(service: ServiceName): string {
  return `ANNALS_${service.toUpperCase().replaceAll("-", "_")}_ADDRESS`;
}

/** A grpc-js target for the RPC ports of one service's replicas, all on the loopback interface. */
export function grpcTarget(rpcAddresses: readonly string[]): string {
  return rpcAddresses.length === 1 ? rpcAddresses.join("") : `ipv4:${rpcAddresses.join(",")}`;
}
