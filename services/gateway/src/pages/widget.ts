// What a page that embeds the viewer loads: `/widget/viewer.js`, the same under an address with its hash,
// and `/widget/integrity.json`, which says that address. Called by app.ts. Every page may load them, so they
// must never hold data.

import { hash } from "node:crypto";
import { createRequire } from "node:module";
import { readStaticFile, type StaticFile } from "./static-files.ts";

const URL = "/widget/viewer.js";

/** A page with any policy may load them. */
const PUBLIC = {
  "access-control-allow-origin": "*",
  "cross-origin-resource-policy": "cross-origin",
};

export function widgetFiles(): StaticFile[] {
  const path = createRequire(import.meta.url).resolve("@annals/viewer/viewer.js");
  const bytes = readStaticFile(path);
  const hashed = `/widget/viewer-${hash("sha256", bytes, "hex").slice(0, 16)}.js`;
  const integrity = `sha384-${hash("sha384", bytes, "base64")}`;
  const script = { path, type: "text/javascript; charset=utf-8", headers: PUBLIC };
  return [
    { ...script, url: URL },
    { ...script, url: hashed, isImmutable: true },
    {
      url: "/widget/integrity.json",
      content: JSON.stringify({ [URL]: { url: hashed, integrity } }),
      type: "application/json; charset=utf-8",
      headers: PUBLIC,
    },
  ];
}
