// The process of an attack, so that the attacker and the victim's client do not wait for each other. Started
// and ended by fairness.test.ts.

import { type AttackName, begin, type Target } from "./fairness-attacks.ts";

process.on("message", ({ name, target }: { readonly name: AttackName; readonly target: Target }) =>
  begin(name, target),
);
process.on("disconnect", () => process.exit());
