// What identity-provider.ts uses of oidc-provider, which has no types of its own.

declare module "oidc-provider" {
  import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";

  export default class OidcProvider {
    constructor(issuer: string, configuration: object);
    callback(): RequestListener;
    interactionFinished(
      request: IncomingMessage,
      response: ServerResponse,
      result: object,
    ): Promise<void>;
    readonly Grant: new (of: { readonly clientId: string; readonly accountId: string }) => {
      addOIDCScope(scope: string): void;
      save(): Promise<string>;
    };
  }
}

declare module "oidc-provider/lib/adapters/memory_adapter.js" {
  /** Keeps what the provider stores in memory. */
  const MemoryAdapter: new (name: string) => object;
  export default MemoryAdapter;
}
