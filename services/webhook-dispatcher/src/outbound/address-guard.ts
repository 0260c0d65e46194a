// Keeps deliveries away from what is near the service. It reads a webhook's URL when the webhook is
// made or changed, and stands again between every new connection and the resolver: the address that
// was checked is the one that is connected to, so a name that changes its mind gains nothing.

import { type LookupAddress, lookup } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { isPublicAddress } from "./addresses.ts";

/** Resolves a name to all its addresses; rejects when it has none. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>;

/** Longest URL (docs/open-details.md). */
const MAX_URL_LENGTH = 2_048;

/** The names that never mean a public host, besides those below them. */
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

/** What is wrong with a URL, as a sentence that follows its name. */
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
   * Reads a URL and refuses with {@link UrlFault} what may not be delivered to, as far as that
   * shows without a resolver.
   */
  readUrl(given: string): URL {
    if (given.length > MAX_URL_LENGTH) {
      throw new UrlFault(`must have at most ${MAX_URL_LENGTH} characters`);
    }
    // The parser itself would drop or turn these, and two readers of one URL must see one host.
    if (!/^https:\/\/[^/\\]/i.test(given) || /[\s\\\p{Cc}]/u.test(given) || !URL.canParse(given)) {
      throw new UrlFault("must be an HTTPS URL such as https://example.com/hooks");
    }
    const url = new URL(given);
    if (url.username !== "" || url.password !== "" || /^https:\/\/[^/?#]*@/i.test(given)) {
      throw new UrlFault("must not hold a user name or a password");
    }
    if (url.port === "0") throw new UrlFault("must not name port 0");
    if (!this.#mayBeHost(hostOf(url))) throw notPublic();
    return url;
  }

  /**
   * Refuses with {@link UrlFault} a host that now resolves to a forbidden address. One that does
   * not resolve passes: it may yet, and every connection is guarded.
   */
  async checkHost(url: URL): Promise<void> {
    const host = hostOf(url);
    if (this.#allowPrivate || isIP(host) !== 0) return;
    const addresses = await this.#resolve(host).catch(() => []);
    if (!addresses.every(({ address }) => isPublicAddress(address))) throw notPublic();
  }

  /**
   * Whether a connection to a host that is an address may be made; a name is checked when {@link
   * lookup} resolves it.
   */
  mayConnect(host: string): boolean {
    return this.#mayBeHost(host);
  }

  /** For Node's sockets: resolves, and answers only when every address is allowed. */
  readonly lookup: LookupFunction = (hostname, options, callback) => {
    this.#resolve(hostname).then(
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

  #mayBeHost(host: string): boolean {
    if (this.#allowPrivate) return true;
    if (isIP(host) !== 0) return isPublicAddress(host);
    return !LOCAL_NAMES.some((name) => host === name || host.endsWith(`.${name}`));
  }

  #mayBeAddress(address: string): boolean {
    return this.#allowPrivate || isPublicAddress(address);
  }
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

/** The system's resolver. */
export function systemResolve(hostname: string): Promise<readonly LookupAddress[]> {
  return new Promise((resolve, reject) => {
    lookup(hostname, { all: true, order: "ipv4first" }, (error, addresses) =>
      error ? reject(error) : resolve(addresses),
    );
  });
}
