// Guarantee: each upload to a bucket has a checksum: SHA-256, or Content-MD5 and no header of S3's checksums
// if the AWS SDK is told to send those only where they are required, for storage that refuses them.

import { namesChecksum } from "@annals/testing";
import { createHash } from "node:crypto";
import { expect, onTestFinished, test, vi } from "vitest";
import { newSubscriber } from "../../../testing/receivers.ts";
import { newReceiver, sendBatch, sinkRecords } from "../../../testing/sink-receivers.ts";

const CREDENTIALS = { access_key_id: "AKIAEXAMPLE", secret_access_key: "s3cr3t-access-key" };

test.each([
  ["", "sha256", "x-amz-checksum-sha256"],
  ["WHEN_REQUIRED", "md5", "content-md5"],
])("with the setting %j it is %s", async (setting, algorithm, header) => {
  vi.stubEnv("AWS_REQUEST_CHECKSUM_CALCULATION", setting === "" ? undefined : setting);
  onTestFinished(() => void vi.unstubAllEnvs());
  const subscriber = await newSubscriber();
  subscriber.answer = (response) => void response.writeHead(200).end();
  const receiver = newReceiver({
    type: "s3",
    bucket: "siem",
    prefix: "",
    region: "us-east-1",
    endpoint: subscriber.url(""),
    credentials: CREDENTIALS,
  });
  expect(await sendBatch(receiver, sinkRecords(1, 3))).toMatchObject({ outcome: "accepted" });
  expect(subscriber.received).toHaveLength(2);
  for (const { body, headers } of subscriber.received) {
    expect(namesChecksum({ headers })).toBe(algorithm === "sha256");
    expect(headers[header]).toBe(createHash(algorithm).update(body).digest("base64"));
  }
});
