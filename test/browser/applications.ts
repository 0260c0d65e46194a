// Applications as people build them around the examples of the viewer: one in React and one in Vue, each
// bundled with the viewer into one file. Used by examples.test.ts.

import { build as bundle, type Plugin } from "esbuild";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { compileScript, parse } from "vue/compiler-sfc";

const EXAMPLES = join(import.meta.dirname, "../../packages/viewer/examples");
const VIEWER = join(import.meta.dirname, "../../packages/viewer/dist/viewer.js");

/** What an application does with the events of the viewer: it keeps what it was told, under `told`. */
const MAINS = {
  react: `import { createElement } from "react";
    import { createRoot } from "react-dom/client";
    import { AuditLog } from "./audit-log.jsx";
    const tell = (name) => (detail) => window.told.push([name, detail]);
    const { server } = document.querySelector("#application").dataset;
    createRoot(document.querySelector("#application")).render(
      createElement(AuditLog, { server, onSelect: tell("select"), onTokenExpiring: tell("expiring") }),
    );`,
  vue: `import { createApp } from "vue";
    import AuditLog from "./audit-log.vue";
    const tell = (name) => (detail) => window.told.push([name, detail]);
    const { server } = document.querySelector("#application").dataset;
    createApp(AuditLog, { server, onSelect: tell("select"), onTokenExpiring: tell("expiring") })
      .mount("#application");`,
};

/** As the example says that it has to be compiled. */
const VUE: Plugin = {
  name: "vue",
  setup: (build) => {
    build.onLoad({ filter: /\.vue$/ }, async ({ path }) => {
      const { descriptor } = parse(await readFile(path, "utf8"), { filename: path });
      const isCustomElement = (tag: string) => tag === "annals-viewer";
      const { content } = compileScript(descriptor, {
        id: "audit-log",
        inlineTemplate: true,
        templateOptions: { compilerOptions: { isCustomElement } },
      });
      return { contents: content, loader: "js" };
    });
  },
};

/** One ES module. */
export async function bundled(framework: keyof typeof MAINS): Promise<string> {
  const { outputFiles } = await bundle({
    stdin: { contents: `window.told = []; ${MAINS[framework]}`, resolveDir: EXAMPLES },
    bundle: true,
    write: false,
    format: "esm",
    platform: "browser",
    target: "es2022",
    jsx: "automatic",
    alias: { "@annals/viewer": VIEWER },
    // The packages that an application of its own would have.
    nodePaths: [join(import.meta.dirname, "../node_modules")],
    define: {
      "process.env.NODE_ENV": '"production"',
      __VUE_OPTIONS_API__: "false",
      __VUE_PROD_DEVTOOLS__: "false",
      __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: "false",
    },
    plugins: [VUE],
    tsconfigRaw: {},
    logLevel: "error",
  });
  return outputFiles[0]?.text ?? "";
}
