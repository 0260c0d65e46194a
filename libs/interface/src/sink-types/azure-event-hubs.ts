// Sinks that send to an event hub of Azure over HTTPS. The URL is that of its namespace, such as
// https://acme.servicebus.windows.net. The members of the key have the names of a connection string.

import { Type } from "typebox";
import { CLOSED, named, Secret, Text, WebhookUrl } from "../schema.ts";
import { checkUrl, fault, originOf, sinkType } from "../sink-type.ts";

const NAME = /^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$/;
const KEY = /^[!-~]+$/;

export const azureEventHubs = sinkType({
  schema: named(
    "AzureEventHubsSinkConfig",
    Type.Object(
      {
        url: WebhookUrl,
        event_hub: Text("Name of the event hub.", "audit", 256),
        shared_access_key_name: Text("Name of a key that may send.", "send", 256),
        shared_access_key: Secret("The key, a secret.", "c2VjcmV0IG9mIGFuIGV4YW1wbGU=", 1_024),
      },
      CLOSED,
    ),
  ),
  defaults: {},
  check: (config, rules) => {
    const { pathname, search } = checkUrl(rules, "url", config.url);
    if (pathname !== "/" || search !== "") {
      throw fault("url", "must be the address of the namespace without a path");
    }
    for (const member of ["event_hub", "shared_access_key_name"] as const) {
      if (NAME.test(config[member])) continue;
      const message =
        "must have 1 to 256 letters, digits, . _ and -, a letter or a digit at both ends";
      throw fault(member, message);
    }
    if (!KEY.test(config.shared_access_key)) {
      throw fault("shared_access_key", "must have 1 to 1024 visible characters of ASCII");
    }
    return config;
  },
  batches: "stream",
  refusesEvents: true,
  receiver: originOf,
});
