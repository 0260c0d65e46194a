// One CloudTrail record, and the sample of them that comes with the project. Read by the import, by
// tests and by the benchmark. It must never change a record.

import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";

/** The members that the mapping looks at; the others are carried along as they are. */
export interface CloudTrailRecord {
  readonly eventTime: string;
  readonly eventSource: string;
  readonly eventName: string;
  readonly awsRegion: string;
  readonly sourceIPAddress: string;
  readonly userAgent: string;
  readonly readOnly: boolean;
  readonly userIdentity: {
    readonly type?: string;
    readonly arn?: string;
    readonly principalId?: string;
    readonly invokedBy?: string;
  };
  readonly resources?: readonly { readonly ARN: string; readonly type?: string }[];
  readonly responseElements: object | null;
}

const SAMPLE = new URL("./records.jsonl.gz", import.meta.url);

/** The 2,000 records of the sample, in the order of time. */
export async function readSample(): Promise<CloudTrailRecord[]> {
  const lines = (await promisify(gunzip)(await readFile(SAMPLE))).toString("utf8").trimEnd();
  return lines.split("\n").map((line) => JSON.parse(line) as CloudTrailRecord);
}
