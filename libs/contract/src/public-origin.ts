// The origin at which browsers reach the gateway (ANNALS_PUBLIC_URL). Called by the gateway, which sets
// cookies for it, and by keys, to which identity providers send browsers back. It must never come from a
// request.

import { isIP } from "node:net";

export interface PublicOrigin {
  /** `https://audit.example.com`, as browsers send it. */
  readonly origin: string;
  /** Whether it is encrypted: without, only on loopback. */
  readonly isSecure: boolean;
}

/** Throws an error that says what is wrong with the text. */
export function publicOrigin(text: string): PublicOrigin {
  const url = URL.parse(text);
  if (url === null) throw new Error("must be a URL");
  const { hash, hostname, origin, password, pathname, protocol, search, username } = url;
  if (username !== "" || password !== "" || pathname !== "/" || search !== "" || hash !== "")
    throw new Error("must be an origin such as https://audit.example.com");
  const isSecure = protocol === "https:";
  if (!isSecure && (protocol !== "http:" || !isLoopback(hostname)))
    throw new Error("must begin with https://, except on loopback");
  return { origin, isSecure };
}

/** Whether a host, as URL has it, is this machine itself. */
export function isLoopback(hostname: string): boolean {
  if (hostname === "localhost" || hostname === "[::1]") return true;
  return isIP(hostname) === 4 && hostname.startsWith("127.");
}
