// The name by which a service proves itself to another one. Certificates carry it, and both ends of an RPC
// check it. Called by libs/rpc, and by what makes certificates. It must never depend on where a service runs.

const DOMAIN = "annals.internal";

export const IDENTIFIED_SERVICES = [
  "gateway",
  "keys",
  "ledger",
  "export",
  "webhook-dispatcher",
] as const;

export type IdentifiedService = (typeof IDENTIFIED_SERVICES)[number];

/** The DNS name (subject alternative name) in the certificate of a service: `ledger.annals.internal`. */
export function identityOf(service: IdentifiedService): string {
  return `${service}.${DOMAIN}`;
}
