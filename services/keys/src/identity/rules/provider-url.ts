// Which URLs of an identity provider may be used. Called by parse-identity.ts for what the operator wrote,
// and by the bounded fetch for what a provider's document names.

import { isLoopback } from "@annals/contract";

/** What is wrong with a URL, or undefined. It must be encrypted unless it stays on this machine. */
export function urlFault(text: string): string | undefined {
  if (!URL.canParse(text)) return "must be a URL";
  const url = new URL(text);
  if (url.username !== "" || url.password !== "") return "must contain no user and no password";
  if (text.includes("#")) return "must contain no fragment";
  if (url.protocol === "https:") return undefined;
  if (url.protocol !== "http:") return "must begin with https://";
  return isLoopback(url.hostname) ? undefined : "must begin with https://, except on loopback";
}

/** Hosts of Microsoft Entra, in all of its clouds. */
const ENTRA = /^login\.(microsoftonline\.(com|us|de)|partner\.microsoftonline\.cn)$/;
/** Endpoints of Entra for several tenants. The issuer in their document is a template. */
const TEMPLATES = new Set(["common", "organizations", "consumers"]);

/** The same of an issuer, which is compared to the character with what its tokens say. */
export function issuerFault(text: string): string | undefined {
  const fault = urlFault(text);
  if (fault !== undefined) return fault;
  const { hostname, pathname, search } = new URL(text);
  if (search !== "" || text.includes("?")) return "must contain no query";
  if (/[{}]/.test(text)) return "must be the issuer of one tenant, not a template";
  const [, tenant = ""] = pathname.toLowerCase().split("/");
  if (ENTRA.test(hostname) && TEMPLATES.has(tenant))
    return `must name one tenant by its id: the issuer of ${JSON.stringify(tenant)} is a template`;
  return undefined;
}
