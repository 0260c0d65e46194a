// BeginLogin: where a browser goes to log in, and the cookie that it keeps meanwhile. It stores nothing.

import type { Clock } from "@annals/contract";
import { complete, notFound } from "@annals/errors";
import type { KeysService } from "@annals/proto/keys";
import { type AdmissionSecrets, requestIdOf } from "@annals/rpc";
import type { ServiceImpl } from "@connectrpc/connect";
import type { Providers } from "../../outbound/open-providers.ts";
import type { RefusedLogins } from "../refused-logins.ts";
import { newAttempt, sealAttempt, STATE_PREFIX_LENGTH } from "../rules/login-attempt.ts";

interface Deps {
  readonly clock: Clock;
  readonly providers: Providers;
  readonly random: (size: number) => Uint8Array;
  readonly refusedLogins: RefusedLogins;
  readonly secrets: AdmissionSecrets;
}

export function beginLogin(deps: Deps): ServiceImpl<typeof KeysService>["beginLogin"] {
  const { clock, providers, random, refusedLogins, secrets } = deps;
  return async ({ provider, returnTo }, context) => {
    complete({ provider });
    const client = providers.named(provider);
    if (!client) throw notFound("identity provider", provider);
    const nowMs = clock.nowMicros() / 1_000;
    const attempt = newAttempt(provider, returnTo, { nowMs, random });
    try {
      const redirectUrl = await client.login.authorizationUrl(attempt);
      const sealedLogin = sealAttempt(secrets, attempt, random);
      return { redirectUrl, sealedLogin, statePrefix: attempt.state.slice(0, STATE_PREFIX_LENGTH) };
    } catch (error) {
      return refusedLogins.answer(error, {
        provider,
        requestId: requestIdOf(context.requestHeader),
      });
    }
  };
}
