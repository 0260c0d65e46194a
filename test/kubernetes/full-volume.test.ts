// Guarantee: at 100 appends a second, while the volume of exports is full, every append is answered with 201
// and no pod restarts. The export that was asked for meanwhile is completed once there is room.

import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { Installation, SMALL, WITHIN_MS } from "./installation.ts";
import { eventually } from "./namespace.ts";
import { removeSmallVolume, smallVolume } from "./small-volume.ts";

const REPLICAS = 2;
/** With KUBECONFIG alone nothing can be mounted on a node. */
const hasNode = inject("cluster").program !== undefined;
let installation: Installation;

beforeAll(async () => {
  if (!hasNode) return;
  installation = await Installation.create(async (namespace) => ({
    export: { ...SMALL, existingClaim: await smallVolume(namespace) },
  }));
});
afterAll(async () => {
  if (installation === undefined) return;
  await installation.namespace.remove();
  await removeSmallVolume(installation.namespace);
});

const kubectl = (...words: string[]) => installation.namespace.kubectl(...words);

test.runIf(hasNode)(
  "the volume of exports is full: the export is completed once there is room",
  async () => {
    const pods = await installation.ready("export", REPLICAS);
    const file = "/var/lib/annals/exports/fill";
    const node = (script: string) => kubectl("exec", pods[0]!.name, "--", "node", "-e", script);
    const failed = async () => {
      const counts = pods.map(({ name }) =>
        installation.metric(name, "annals_export_attempts_total", 'outcome="failed"'),
      );
      return (await Promise.all(counts)).some((count) => count > 0) || undefined;
    };
    const appended = await installation.withoutFailure(async () => {
      await node(`try { fs.writeFileSync("${file}", Buffer.alloc(64 << 20)) } catch {}`);
      const { body } = await installation.request("POST", "/v1/exports", { format: "jsonl" });
      await eventually(WITHIN_MS, failed);
      await node(`fs.rmSync("${file}")`);
      await eventually(WITHIN_MS, async () => {
        const { body: now } = await installation.request("GET", `/v1/exports/${body.data.id}`);
        return now.data.status === "completed" || undefined;
      });
    });
    expect(appended).toBeGreaterThan(0);
    expect(await installation.ready("export", REPLICAS)).toStrictEqual(pods);
  },
);
