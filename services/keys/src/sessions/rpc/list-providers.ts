// ListProviders: the identity providers that people can log in with.

import type { KeysService } from "@annals/proto/keys";
import type { ServiceImpl } from "@connectrpc/connect";
import type { Providers } from "../../outbound/open-providers.ts";

interface Deps {
  readonly providers: Pick<Providers, "all">;
}

export function listProviders({
  providers,
}: Deps): ServiceImpl<typeof KeysService>["listProviders"] {
  return () => ({ providers: providers.all.map(({ name, title }) => ({ name, title })) });
}
