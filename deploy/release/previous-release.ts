// The commit of the previous release, from which the test of an upgrade starts. Called by
// test/kubernetes/release-before.ts. It must never change the checkout.

import { ROOT, run } from "./run.ts";

/**
 * The newest tag of a version that HEAD contains and is not. Tags may not have come with the clone: then it
 * is the newest commit before HEAD that changed the version in package.json. The first release has none
 * before it, so until another one is made it is that of the first, or HEAD.
 */
export async function previousRelease(folder: string = ROOT): Promise<string> {
  const lines = async (...words: string[]) =>
    (await run(folder, "git", words)).split("\n").filter((line) => line !== "");
  const [head = ""] = await lines("rev-parse", "HEAD");
  const tags = await lines(
    "tag",
    "--merged",
    "HEAD",
    "--sort=-version:refname",
    "--list",
    "v[0-9]*",
  );
  for (const tag of tags) {
    const [commit = ""] = await lines("rev-parse", "--verify", `${tag}^{commit}`);
    if (commit !== head) return commit;
  }
  // The commit that added the file set no version of a release. Neither does the oldest of a shallow clone.
  const drawn = await lines(
    "log",
    "--format=%H",
    "--diff-filter=M",
    "-G",
    '^  "version": ',
    "--",
    "package.json",
  );
  const before = drawn.find((commit) => commit !== head);
  if (before !== undefined) return before;
  const [isShallow] = await lines("rev-parse", "--is-shallow-repository");
  if (isShallow === "true")
    throw new Error("this clone has no earlier release: git fetch --unshallow --tags");
  return head;
}
