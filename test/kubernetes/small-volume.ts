// A claim whose volume a test can fill: a file system in memory, mounted on the node. Called by
// full-volume.test.ts. It must never leave the mount behind.

import type { Namespace } from "./namespace.ts";

const SIZE = "32m";
const CLAIM = "small-exports";

const folderOf = ({ name }: Namespace) => `/run/${name}`;

/** Resolves to the name of the claim. */
export async function smallVolume(namespace: Namespace): Promise<string> {
  const folder = folderOf(namespace);
  await namespace.onNode("mkdir", folder);
  await namespace.onNode("mount", "-t", "tmpfs", "-o", `size=${SIZE},mode=1777`, "none", folder);
  const common = {
    accessModes: ["ReadWriteMany"],
    storageClassName: "",
  };
  await namespace.apply(
    {
      apiVersion: "v1",
      kind: "PersistentVolume",
      metadata: { name: namespace.name },
      spec: { ...common, capacity: { storage: "1Gi" }, hostPath: { path: folder } },
    },
    {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: { name: CLAIM },
      spec: {
        ...common,
        volumeName: namespace.name,
        resources: { requests: { storage: "1Gi" } },
      },
    },
  );
  return CLAIM;
}

export async function removeSmallVolume(namespace: Namespace): Promise<void> {
  const folder = folderOf(namespace);
  await namespace.kubectl("delete", "persistentvolume", namespace.name, "--wait=false");
  await namespace.onNode("umount", "--lazy", folder);
  await namespace.onNode("rmdir", folder);
}
