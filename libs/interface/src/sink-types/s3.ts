// Sinks that write objects to a bucket of S3-compatible storage, that of AWS without an `endpoint`.

import { isIP } from "node:net";
import { Type } from "typebox";
import { CLOSED, named, Secret, Text, WebhookUrl } from "../schema.ts";
import { checkUrl, fault, sinkType } from "../sink-type.ts";

const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const PREFIX = /^([A-Za-z0-9!_.*'()=-]+\/)*$/;
const REGION = /^[a-z0-9][a-z0-9-]*$/;
const KEY = /^[!-~]+$/;

const Credentials = named(
  "SinkCredentials",
  Type.Object(
    {
      access_key_id: Text("Id of the access key.", "AKIAIOSFODNN7EXAMPLE", 256),
      secret_access_key: Secret("A secret.", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", 1_024),
    },
    CLOSED,
  ),
);

export const s3 = sinkType({
  schema: named(
    "S3SinkConfig",
    Type.Object(
      {
        bucket: Text("Name of the bucket.", "acme-audit", 63),
        prefix: Type.Optional(
          Type.String({
            maxLength: 512,
            description: "What object names begin with; empty, or ends in a slash.",
            examples: ["annals/"],
          }),
        ),
        region: Text("Region of the bucket.", "eu-central-1", 63),
        endpoint: Type.Optional(WebhookUrl),
        credentials: Type.Optional(Credentials),
      },
      CLOSED,
    ),
  ),
  defaults: { prefix: "" },
  check: (config, rules) => {
    const { bucket, credentials, endpoint, prefix, region } = config;
    if (!BUCKET.test(bucket) || bucket.includes("..") || isIP(bucket) !== 0) {
      const message =
        "must have 3 to 63 of a to z, 0 to 9, . and -, a letter or a digit at both ends";
      throw fault("bucket", message);
    }
    if (!PREFIX.test(prefix) || prefix.split("/").some((name) => name === "." || name === "..")) {
      const message =
        "must be empty or end in /, and have letters, digits and !_.*'()=- between slashes";
      throw fault("prefix", message);
    }
    if (!REGION.test(region)) throw fault("region", "must have 1 to 63 of a to z, 0 to 9 and -");
    if (endpoint !== undefined && checkUrl(rules, "endpoint", endpoint).search !== "") {
      throw fault("endpoint", "must not contain a query");
    }
    if (credentials === undefined && !rules.allowProcessCredentials) {
      throw fault("credentials", "is required: this service lends its own to no account");
    }
    if (credentials && !KEY.test(credentials.access_key_id)) {
      throw fault("credentials.access_key_id", "must have 1 to 256 visible characters of ASCII");
    }
    if (credentials && !KEY.test(credentials.secret_access_key)) {
      const message = "must have 1 to 1024 visible characters of ASCII";
      throw fault("credentials.secret_access_key", message);
    }
    return config;
  },
  batches: "bucket",
  // A bucket takes what it takes from others.
  refusesEvents: false,
  receiver: ({ bucket, endpoint }) =>
    `${endpoint === undefined ? "s3:/" : new URL(endpoint).origin}/${bucket}`,
});
