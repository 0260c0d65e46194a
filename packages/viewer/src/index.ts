// The entry of the one file that a page loads: it defines `<annals-viewer>`. The same file is its own worker,
// which checks proofs. Imported if there is neither, as on a server, it must do nothing.

import { serveChecks } from "./proof/check.ts";

export type * from "./types.ts";

if (typeof document !== "undefined") {
  // Not imported above: a worker has no document, which Lit needs as it is loaded.
  const { AnnalsViewer } = await import("./element.ts");
  AnnalsViewer.script = import.meta.url;
  // A page may load the file twice, at two addresses.
  if (!customElements.get("annals-viewer")) customElements.define("annals-viewer", AnnalsViewer);
} else if ("WorkerGlobalScope" in globalThis) serveChecks();
