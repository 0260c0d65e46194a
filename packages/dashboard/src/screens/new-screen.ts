// The screen of each address. Called by app.ts when its route is shown.

import type { Route } from "../routes.ts";
import type { Context, Screen } from "../screen.ts";
import { ErasuresScreen } from "./erasures.ts";
import { EventsScreen } from "./events.ts";
import { ExportsScreen } from "./exports.ts";
import { FieldsScreen } from "./fields.ts";
import { HoldsScreen } from "./holds.ts";
import { KeysScreen } from "./keys.ts";
import { MeScreen } from "./me.ts";
import { OverviewScreen } from "./overview.ts";
import { PeopleScreen } from "./people.ts";
import { RetentionScreen } from "./retention.ts";
import { RoleMappingsScreen } from "./role-mappings.ts";
import { SinksScreen } from "./sinks.ts";
import { UsageScreen } from "./usage.ts";
import { VerificationScreen } from "./verification.ts";
import { WebhookScreen } from "./webhook.ts";
import { WebhooksScreen } from "./webhooks.ts";
import { WidgetTokensScreen } from "./widget-tokens.ts";
import { WorkloadsScreen } from "./workloads.ts";

export function newScreen({ id, name }: Route, context: Context): Screen {
  switch (name) {
    case "overview":
      return new OverviewScreen(context);
    case "events":
      return new EventsScreen(context);
    case "verification":
      return new VerificationScreen(context);
    case "keys":
      return new KeysScreen(context);
    case "webhooks":
      return id === undefined ? new WebhooksScreen(context) : new WebhookScreen(context, id);
    case "sinks":
      return new SinksScreen(context);
    case "fields":
      return new FieldsScreen(context);
    case "exports":
      return new ExportsScreen(context);
    case "retention":
      return new RetentionScreen(context);
    case "holds":
      return new HoldsScreen(context);
    case "erasures":
      return new ErasuresScreen(context);
    case "widget-tokens":
      return new WidgetTokensScreen(context);
    case "role-mappings":
      return new RoleMappingsScreen(context);
    case "workloads":
      return new WorkloadsScreen(context);
    case "people":
      return new PeopleScreen(context);
    case "usage":
      return new UsageScreen(context);
    case "me":
      // A key has no person.
      return context.person ? new MeScreen(context.person) : new UsageScreen(context);
  }
}
