// What `npm run generate` runs after buf: writes each committed file that is made of others, or those of the
// generators that are named. With --check, in `npm run check`, it only compares, and must never write.
//
//   npm run generate -- [--check] [NAME...]

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { chartReadme } from "./chart-readme.ts";
import { chartRenderings } from "./chart-renderings.ts";
import { goResources } from "./go-resources.ts";
import { goTypes } from "./go-types.ts";
import { routeBoundsPage } from "./route-bounds.ts";
import { sdkTypes } from "./sdk-types.ts";
import { settingLists } from "./setting-lists.ts";
import { sinkTypes } from "./sink-types.ts";
import { pythonResources } from "./python-resources.ts";
import { pythonTypes } from "./python-types.ts";
import { ROOT } from "./sources.ts";
import { versionedFiles } from "./versions.ts";

type Made = readonly (readonly [path: string, text: string])[];

const PYTHON = "packages/sdk-python/src/annals_sdk";

function goSdk(): Made {
  const { text, results } = goResources();
  return [
    ["packages/sdk-go/resources.go", text],
    ["packages/sdk-go/models.go", goTypes(results)],
  ];
}

/** In this order: what is made of the chart comes after the lists of settings in its schema. */
const GENERATORS: Readonly<Record<string, () => Made | Promise<Made>>> = {
  versions: versionedFiles,
  "setting-lists": settingLists,
  "sink-types": sinkTypes,
  "chart-readme": () => [["helm/annals/README.md", chartReadme()]],
  "chart-renderings": () => chartRenderings(process.env),
  "route-bounds": () => [["docs/route-bounds.md", routeBoundsPage()]],
  "go-sdk": goSdk,
  "python-sdk": () => [
    [`${PYTHON}/models.py`, pythonTypes()],
    [`${PYTHON}/resources.py`, pythonResources(false)],
    [`${PYTHON}/async_resources.py`, pythonResources(true)],
  ],
  "sdk-types": async () => [["packages/sdk/src/generated/api.ts", await sdkTypes()]],
};

const { values, positionals } = parseArgs({
  options: { check: { type: "boolean", default: false } },
  allowPositionals: true,
});
for (const name of positionals.length > 0 ? positionals : Object.keys(GENERATORS)) {
  const generator = GENERATORS[name];
  if (generator === undefined)
    throw new Error(`there is no ${name}, only ${Object.keys(GENERATORS).join(", ")}`);
  for (const [path, text] of await generator()) {
    const file = join(ROOT, path);
    if (!values.check) writeFileSync(file, text);
    else if (readFileSync(file, "utf8") !== text) {
      process.stderr.write(`${path} is stale: \`npm run generate\` makes it\n`);
      process.exitCode = 1;
    }
  }
}
