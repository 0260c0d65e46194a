// Plans: what the plans file says, and how many accounts have each.

import { html, type TemplateResult } from "lit/html.js";
import { table } from "../parts/table.ts";
import { numberText } from "../parts/time.ts";
import { Loader, type Screen } from "../screen.ts";
import type { ConsoleContext } from "./console-screen.ts";
import type { Plan } from "./resources.ts";

export class PlansScreen implements Screen {
  readonly #plans: Loader<readonly Plan[]>;

  constructor({ api, update }: ConsoleContext) {
    this.#plans = new Loader(update, (signal) =>
      api.data<readonly Plan[]>("/admin/v1/plans", signal),
    );
  }

  readonly stop = (): void => this.#plans.stop();

  readonly view = (): TemplateResult =>
    html`<p>
        Plans are in the plans file. An account that names none has the default one. Its page gives
        it another.
      </p>
      ${this.#plans.view((plans) =>
        table<Plan>(
          "Plans",
          [
            {
              title: "Name",
              cell: (plan) => (plan.default ? `${plan.name} (default)` : plan.name),
            },
            { title: "Accounts that name it", cell: ({ accounts }) => numberText(accounts) },
            { title: "Events a month", cell: (plan) => limitText(plan.monthly_events) },
            { title: "Days kept", cell: (plan) => limitText(plan.retention_days) },
            { title: "Keys", cell: (plan) => numberText(plan.max_keys) },
            { title: "Left out", cell: (plan) => plan.features_left_out.join(", ") || "nothing" },
          ],
          plans,
        ),
      )}`;
}

const limitText = (limit: number | null): string =>
  limit === null ? "no limit" : numberText(limit);
