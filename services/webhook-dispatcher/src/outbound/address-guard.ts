// Keeps deliveries away from private networks (SSRF). It checks the URL when a webhook is created or changed,
// and the addresses of its name at every new connection, between the resolver and the socket: the address
// that was checked is the one that is connected to, so DNS rebinding gains nothing.
//
// Creating and changing a webhook use no DNS. A response that depends on DNS would reveal which internal
// names exist: a delivery to an internal name fails just as a delivery to an unknown name does.

import type { LookupAddress } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { isPublicAddress } from "./addresses.ts";

/** Resolves a name, on behalf of an account, to all its addresses; rejects if it has no address. */
export type Resolve = (hostname: string, accountId: string) => Promise<readonly LookupAddress[]>;

/** Maximum length of a URL (docs/interface.md). */
const MAX_URL_LENGTH = 2_048;

/** Names that, like their subdomains, never mean a public host. */
const LOCAL_NAMES = [
  "localhost",
  "local",
  "internal",
  "home.arpa",
  "localdomain",
  "lan",
  "intranet",
];

const FORBIDDEN = "ANNALS_ADDRESS_FORBIDDEN";

/** Says what is wrong with a URL, in a text that follows the name of the field. */
export class UrlFault extends Error {
  override readonly name = "UrlFault";
}

export class AddressGuard {
  readonly #resolve: Resolve;
  readonly #allowPrivate: boolean;

  constructor(options: { readonly resolve: Resolve; readonly allowPrivateAddresses: boolean }) {
    this.#resolve = options.resolve;
    this.#allowPrivate = options.allowPrivateAddresses;
  }

  /**
   * Parses a URL. Throws {@link UrlFault} if it may not be delivered to, as far as that can be decided
   * without DNS.
   */
  readUrl(given: string): URL {
    if (given.length > MAX_URL_LENGTH) {
      throw new UrlFault(`must have at most ${MAX_URL_LENGTH} characters`);
    }
    // The parser would drop or change these, and two parsers of one URL must see one host.
    if (!/^https:\/\/[^/\\]/i.test(given) || /[\s\\\p{Cc}]/u.test(given) || !URL.canParse(given)) {
      throw new UrlFault("must be an HTTPS URL such as https://example.com/hooks");
    }
    const url = new URL(given);
    if (url.username !== "" || url.password !== "" || /^https:\/\/[^/?#]*@/i.test(given)) {
      throw new UrlFault("must not contain a user name or a password");
    }
    if (url.port === "0") throw new UrlFault("must not name port 0");
    if (!this.#mayBeHost(hostOf(url))) throw notPublic();
    return url;
  }

  /**
   * Whether a host that is an address may be connected to; a name is checked when {@link lookupFor} resolves
   * it.
   */
  mayConnect(host: string): boolean {
    return this.#mayBeHost(host);
  }

  /** Resolves a name for Node's sockets. Succeeds only if every address is allowed. */
  lookupFor(accountId: string): LookupFunction {
    return (hostname, options, callback) => {
      this.#resolve(hostname, accountId).then(
        (addresses) => {
          const [first] = addresses;
          if (!first || !addresses.every(({ address }) => this.#mayBeAddress(address))) {
            callback(forbidden(hostname), "", 0);
          } else if (options.all === true) callback(null, [...addresses]);
          else callback(null, first.address, first.family);
        },
        (error: NodeJS.ErrnoException) => callback(error, "", 0),
      );
    };
  }

  #mayBeHost(host: string): boolean {
    if (this.#allowPrivate) return true;
    if (isIP(host) !== 0) return isPublicAddress(host);
    return !isLocalName(host);
  }

  #mayBeAddress(address: string): boolean {
    return this.#allowPrivate || isPublicAddress(address);
  }
}

/** Whether a name never means a public host. */
function isLocalName(host: string): boolean {
  return LOCAL_NAMES.some((name) => host === name || host.endsWith(`.${name}`));
}

/** Whether DNS is not asked for a name if private addresses are allowed: the system resolver is. */
export function isSystemName(host: string): boolean {
  return !host.includes(".") || isLocalName(host);
}

/** The host without the brackets of an IPv6 address and without a dot at the end. */
export function hostOf({ hostname }: URL): string {
  return hostname
    .replace(/^\[|\]$/g, "")
    .replace(/\.$/, "")
    .toLowerCase();
}

export function isForbidden(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === FORBIDDEN;
}

function forbidden(hostname: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${hostname} has an address that is not public`), {
    code: FORBIDDEN,
  });
}

function notPublic(): UrlFault {
  return new UrlFault("must name a public host: this one is private, local or reserved");
}
