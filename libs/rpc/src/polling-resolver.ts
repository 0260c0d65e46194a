// The addresses of a name, looked up again every few seconds: a channel gets new replicas and drops removed
// ones while its connections last. grpc-js by itself looks up again only when a connection ends. Called by
// client.ts. It must never repeat a list to the channel, which would rebuild its round robin, nor take
// addresses away because a lookup failed.

import { type ChannelOptions, experimental } from "@grpc/grpc-js";

type Listener = experimental.ResolverListener;

const SCHEME = "polled-dns";
const EVERY_MS = "annals.resolve_every_ms";

/** The target and options of a channel. `ipv4:` lists its addresses itself, and is not polled. */
export function polled(
  address: string,
  everyMs: number,
): { target: string; options: ChannelOptions } {
  if (address.startsWith("ipv4:")) return { target: address, options: {} };
  experimental.registerResolver(SCHEME, PollingResolver);
  // `dns://10.0.0.1/name` names a DNS server.
  const target = address.startsWith("dns:")
    ? address.replace("dns:", `${SCHEME}:`)
    : `${SCHEME}:///${address}`;
  return { target, options: { [EVERY_MS]: everyMs } };
}

class PollingResolver implements experimental.Resolver {
  readonly #dns: experimental.Resolver;
  readonly #everyMs: number;
  #timer: NodeJS.Timeout | undefined;
  /** What the channel has. */
  #current = "";

  constructor(target: experimental.GrpcUri, listener: Listener, options: ChannelOptions) {
    this.#everyMs = options[EVERY_MS] as number;
    const onResult: Listener = (endpoints, ...rest) => {
      // round_robin takes a failure for the first response only, and otherwise keeps the addresses it has.
      if (!endpoints.ok) return listener(endpoints, ...rest);
      // A DNS server rotates the order of its responses.
      const found = endpoints.value.map(experimental.endpointToString).toSorted().join();
      if (found === this.#current) return true;
      this.#current = found;
      return listener(endpoints, ...rest);
    };
    this.#dns = experimental.createResolver({ ...target, scheme: "dns" }, onResult, options);
  }

  static getDefaultAuthority(target: experimental.GrpcUri): string {
    return target.path;
  }

  /** At the first call of a channel, and when one of its connections has ended. */
  updateResolution(): void {
    this.#timer ??= setInterval(() => this.#dns.updateResolution(), this.#everyMs).unref();
    this.#dns.updateResolution();
  }

  /** A channel without calls destroys its resolver, and may call updateResolution again. */
  destroy(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#current = "";
    this.#dns.destroy();
  }
}
