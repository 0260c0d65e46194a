// A load balancing policy of grpc-js: a call with a key goes to the server that rendezvous hashing chooses
// among those that are connected, every other call round robin. Called by client.ts. A server that has far
// more calls with keys in progress than the others is left out: one that hangs must not keep what it
// is given.

import { type ChannelOptions, connectivityState, experimental } from "@grpc/grpc-js";
import { hash32, highest } from "./rendezvous.ts";

/** Metadata of a call: its key. */
export const AFFINITY_HEADER = "annals-affinity";

/** The option of a channel that holds its {@link Affinity}. */
export const AFFINITY_OPTION = "annals.affinity";

const POLICY = "annals_affinity";

/** A server may have the average number of calls times the factor, plus the margin. */
const LOAD_FACTOR = 1.5;
const LOAD_MARGIN = 16;

interface Server {
  readonly address: string;
  readonly hash: number;
  readonly picker: experimental.Picker;
}

/** What a channel's policy knows of its servers. One for each channel. */
export class Affinity {
  /** Those that are connected. */
  servers: readonly Server[] = [];
  /** Calls with a key that are in progress, by address. */
  readonly #underWay = new Map<string, number>();

  /** The address that a call with the key would go to now; undefined if no choice is to be made. */
  addressFor(key: string): string | undefined {
    return this.servers.length > 1 ? this.serverFor(key)?.address : undefined;
  }

  serverFor(key: string): Server | undefined {
    let sum = 0;
    for (const { address } of this.servers) sum += this.#of(address);
    const bound = (sum / this.servers.length) * LOAD_FACTOR + LOAD_MARGIN;
    return highest(key, this.servers, ({ address }) => this.#of(address) < bound);
  }

  begin(address: string): void {
    this.#underWay.set(address, this.#of(address) + 1);
  }

  end(address: string): void {
    const left = this.#of(address) - 1;
    if (left > 0) this.#underWay.set(address, left);
    else this.#underWay.delete(address);
  }

  #of(address: string): number {
    return this.#underWay.get(address) ?? 0;
  }
}

class Config implements experimental.TypedLoadBalancingConfig {
  getLoadBalancerName(): string {
    return POLICY;
  }

  toJsonObject(): object {
    return { [POLICY]: {} };
  }

  static createFromJson(): Config {
    return new Config();
  }
}

/** Picks among the servers that are connected at one moment. */
class AffinityPicker implements experimental.Picker {
  readonly #affinity: Affinity;
  #next: number;

  constructor(affinity: Affinity) {
    this.#affinity = affinity;
    // Gateways that connect at the same time must not begin with the same server.
    this.#next = Math.trunc(Math.random() * affinity.servers.length);
  }

  pick(call: experimental.PickArgs): experimental.PickResult {
    const [key] = call.metadata.get(AFFINITY_HEADER);
    const { servers } = this.#affinity;
    if (typeof key !== "string") {
      this.#next = (this.#next + 1) % servers.length;
      return (servers[this.#next] as Server).picker.pick(call);
    }
    const { address, picker } = this.#affinity.serverFor(key) as Server;
    const picked = picker.pick(call);
    if (picked.pickResultType !== experimental.PickResultType.COMPLETE) return picked;
    return {
      ...picked,
      onCallStarted: () => {
        this.#affinity.begin(address);
        picked.onCallStarted?.();
      },
      onCallEnded: (...ended) => {
        this.#affinity.end(address);
        picked.onCallEnded?.(...ended);
      },
    };
  }
}

type ChannelControl = ConstructorParameters<typeof experimental.ChildLoadBalancerHandler>[0];

class AffinityBalancer implements experimental.LoadBalancer {
  readonly #parent: ChannelControl;
  readonly #helper: ChannelControl;
  #children: readonly experimental.LeafLoadBalancer[] = [];
  #affinity = new Affinity();
  #lastError = "";
  #isUpdating = false;

  constructor(parent: ChannelControl) {
    this.#parent = parent;
    this.#helper = experimental.createChildChannelControlHelper(parent, {
      updateState: (_state, _picker, error) => {
        this.#lastError = error ?? this.#lastError;
        this.#update();
      },
    });
  }

  updateAddressList(
    found: experimental.StatusOr<experimental.Endpoint[]>,
    config: experimental.TypedLoadBalancingConfig,
    options: ChannelOptions,
    note: string,
  ): boolean {
    if (!(config instanceof Config)) return false;
    if (!found.ok) {
      // A failed look-up takes no address away.
      if (this.#children.length === 0) this.#fail(found.error.details);
      return true;
    }
    this.#affinity = options[AFFINITY_OPTION] as Affinity;
    this.destroy();
    if (found.value.length === 0) this.#lastError = `the name has no address. ${note}`;
    this.#isUpdating = true;
    this.#children = found.value.map(
      (endpoint) => new experimental.LeafLoadBalancer(endpoint, this.#helper, options, note),
    );
    for (const child of this.#children) child.startConnecting();
    this.#isUpdating = false;
    this.#update();
    return true;
  }

  /** It connects by itself. */
  exitIdle(): void {}

  /** Each connection has its own. */
  resetBackoff(): void {}

  destroy(): void {
    for (const child of this.#children) child.destroy();
    this.#children = [];
  }

  getTypeName(): string {
    return POLICY;
  }

  #update(): void {
    if (this.#isUpdating) return;
    const states = new Set(this.#children.map((child) => child.getConnectivityState()));
    const before = this.#affinity.servers.length;
    this.#affinity.servers = this.#children.flatMap((child) => {
      if (child.getConnectivityState() !== connectivityState.READY) return [];
      const address = child
        .getEndpoint()
        .addresses.map(experimental.subchannelAddressToString)
        .join();
      return [{ address, hash: hash32(address), picker: child.getPicker() }];
    });
    // A server that has gone may have another address when it is back.
    if (this.#affinity.servers.length < before) this.#parent.requestReresolution();
    if (states.has(connectivityState.READY))
      this.#publish(connectivityState.READY, new AffinityPicker(this.#affinity));
    else if (states.has(connectivityState.CONNECTING))
      this.#publish(connectivityState.CONNECTING, new experimental.QueuePicker(this));
    else if (states.has(connectivityState.TRANSIENT_FAILURE) || states.size === 0)
      this.#fail(this.#lastError);
    else this.#publish(connectivityState.IDLE, new experimental.QueuePicker(this));
    for (const child of this.#children)
      if (child.getConnectivityState() === connectivityState.IDLE) child.exitIdle();
  }

  #publish(state: connectivityState, picker: experimental.Picker, error: string | null = null) {
    this.#parent.updateState(state, picker, error);
  }

  #fail(reason: string): void {
    const details = `no server is connected: ${reason}`;
    const picker = new experimental.UnavailablePicker({ details });
    this.#publish(connectivityState.TRANSIENT_FAILURE, picker, details);
  }
}

/** The service config's name of the policy. */
export function affinityPolicy(): Readonly<Record<string, object>> {
  if (!experimental.isLoadBalancerNameRegistered(POLICY))
    experimental.registerLoadBalancerType(POLICY, AffinityBalancer, Config);
  return { [POLICY]: {} };
}
