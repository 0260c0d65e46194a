// Which service a certificate belongs to. Called by both ends of a connection, after TLS has verified that
// the certificate is of the deployment's authority. A certificate that names no service, or two, belongs to
// none.

import { IDENTIFIED_SERVICES, type IdentifiedService, identityOf } from "@annals/contract";

const BY_ENTRY = new Map(
  IDENTIFIED_SERVICES.map((service) => [`DNS:${identityOf(service)}`, service]),
);

/**
 * The service that a certificate names. Other names in it do not matter. Node puts names with unusual
 * characters in quotes: they could imitate a separator, so none is accepted.
 */
export function serviceOf(certificate: {
  readonly subjectaltname?: string | undefined;
}): IdentifiedService | undefined {
  const names = certificate.subjectaltname ?? "";
  if (names.includes('"')) return undefined;
  const services = names.split(", ").flatMap((name) => BY_ENTRY.get(name) ?? []);
  return services.length === 1 ? services[0] : undefined;
}
