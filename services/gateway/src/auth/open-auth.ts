// What logging in needs of the settings. Called by serve.ts.

import { ConfigError } from "@annals/chassis";
import { publicOrigin } from "@annals/contract";
import { RequestBudget } from "../edge/request-budget.ts";
import { AUTH_PER_SECOND, type AuthOptions, CALLBACKS_PER_SECOND } from "./serve-auth.ts";

/** Undefined without a public URL. Throws a ConfigError. */
export function authOf({
  dashboardKeyLogin: hasKeyLogin,
  publicUrl,
}: {
  readonly dashboardKeyLogin: boolean;
  readonly publicUrl: string | undefined;
}): Pick<AuthOptions, "budgets" | "hasKeyLogin" | "publicOrigin"> | undefined {
  if (publicUrl === undefined) return undefined;
  const budget = (perSecond: number) =>
    new RequestBudget({ perSecond, now: () => performance.now() });
  try {
    return {
      budgets: { all: budget(AUTH_PER_SECOND), callbacks: budget(CALLBACKS_PER_SECOND) },
      hasKeyLogin,
      publicOrigin: publicOrigin(publicUrl),
    };
  } catch (error) {
    throw new ConfigError(`ANNALS_PUBLIC_URL ${error instanceof Error ? error.message : ""}`);
  }
}
