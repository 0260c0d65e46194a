// Options of esbuild for code that is written for Node: a browser gets the same checks of annals-verify, with
// browser-node.ts in place of what they use of Node. Used by bundle.mjs and package.mjs.

import { join } from "node:path";

const NODE = join(import.meta.dirname, "../../packages/annals-verify/src/browser-node.ts");

export const IN_BROWSERS = {
  platform: "browser",
  inject: [NODE],
  alias: { "node:buffer": NODE, "node:crypto": NODE },
  minify: true,
};
