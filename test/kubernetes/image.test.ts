// Guarantee: the image holds what deploy/Dockerfile promises and nothing else. It runs as the user that it
// names, not root, with a root that is read-only, at the level "restricted".

import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { checkImage } from "../../deploy/release/image-contents.ts";
import { Namespace } from "./namespace.ts";

const { version } = JSON.parse(
  readFileSync(join(resolve(import.meta.dirname, "../.."), "package.json"), "utf8"),
) as { version: string };

let namespace: Namespace;

beforeAll(async () => {
  namespace = await Namespace.create();
});
afterAll(() => namespace.remove());

test("the contents and the size are those of the promise", async () => {
  const { archive } = inject("cluster");
  // With KUBECONFIG the nodes have an image that was built and checked elsewhere.
  const { layers, faults } = archive ? await checkImage(archive) : { layers: [{}], faults: [] };
  expect(layers).not.toHaveLength(0);
  expect(faults).toStrictEqual([]);
});

test("the command and a service start, as any user id, with a read-only root", async () => {
  const container = (name: string, ...args: string[]) => ({
    name,
    image: `annals:${version}`,
    imagePullPolicy: "IfNotPresent",
    args,
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    },
  });
  await namespace.apply({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "image" },
    spec: {
      restartPolicy: "Never",
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
      containers: [
        container("command", "annals", "--help"),
        container("service", "services/ledger/dist/main.js", "--help"),
      ],
    },
  });
  const ended = "--for=jsonpath={.status.phase}=Succeeded";
  await namespace.kubectl("wait", ended, "pod/image", "--timeout=120s");
  expect(await namespace.kubectl("logs", "image", "-c", "command")).toContain(
    "Usage: annals <command>",
  );
  expect(await namespace.kubectl("logs", "image", "-c", "service")).toMatch(/^Usage: ledger /m);
});
