import { spawnSync } from "node:child_process";
import { cpSync, readdirSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fail, root } from "./ensure-installed.mjs";
import { publishedManifest, writePackage } from "./packages/manifest.mjs";

const sdk = join(root, "sdk");
const { exports: sources, ...manifest } = JSON.parse(readFileSync(join(sdk, "package.json"), "utf8"));
/** `.` → `src/index.ts` and so on: the workspace's source exports are built and published. */
const ENTRIES = Object.entries(sources).map(([name, source]) => [
  name,
  source.replace(/^\.\/src\//, "").replace(/\.ts$/, ""),
]);

/** Builds the published package into sdk/dist: ESM, CommonJS, and types for both. `npm pack sdk/dist` packs it. */
export async function buildSdk() {
  const [dist, draft] = [join(sdk, "dist"), join(sdk, "dist", `draft-${process.pid}`)];
  await bundleAs("esm", draft);
  await bundleAs("cjs", draft);
  emitTypes(draft);
  writeManifests(draft);
  // Replaces whole files and folders, so that another process never reads a half-written one.
  for (const name of readdirSync(draft)) {
    rmSync(join(dist, name), { recursive: true, force: true });
    renameSync(join(draft, name), join(dist, name));
  }
  rmSync(draft, { recursive: true });
  return dist;
}

/** ESM entries share modules; each CommonJS entry is self-contained. */
async function bundleAs(format, dist) {
  const { build, stop } = await import("esbuild");
  await build({
    entryPoints: ENTRIES.map(([, path]) => join(sdk, "src", `${path}.ts`)),
    outbase: join(sdk, "src"),
    outdir: join(dist, format),
    bundle: true,
    splitting: format === "esm",
    chunkNames: "shared/[hash]",
    format,
    platform: "neutral",
    target: "es2022",
    external: ["node:*"],
    logLevel: "error",
  });
  await stop();
}

/** The declarations are identical; the package.json next to them decides between ESM and CommonJS. */
function emitTypes(dist) {
  const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
  const args = [tsc, "-p", join(sdk, "tsconfig.build.json"), "--outDir", join(dist, "esm")];
  const { status, stdout } = spawnSync(process.execPath, args, { encoding: "utf8" });
  if (status !== 0) fail(`The SDK's types could not be generated:\n${stdout}`);
  for (const name of readdirSync(join(dist, "esm"), { recursive: true })) {
    if (!name.endsWith(".d.ts")) continue;
    // The compiler keeps the extensions of sources in declarations.
    const text = readFileSync(join(dist, "esm", name), "utf8").replaceAll(
      /(["'])(\.{1,2}\/[^"']+)\.ts\1/g,
      "$1$2.js$1",
    );
    writeFileSync(join(dist, "esm", name), text);
    cpSync(join(dist, "esm", name), join(dist, "cjs", name));
  }
}

function writeManifests(dist) {
  const published = publishedManifest(manifest, {
    directory: "sdk",
    sideEffects: false,
    exports: Object.fromEntries(ENTRIES.map(([name, path]) => [name, conditions(path)])),
    main: "./cjs/index.js",
    types: "./cjs/index.d.ts",
    files: ["esm", "cjs"],
    // `@millrace/sdk/testing` starts the service; `@millrace/sdk/otel` is given the API of OpenTelemetry.
    peerDependencies: { "@opentelemetry/api": "^1.4.0", millrace: manifest.version },
    peerDependenciesMeta: { "@opentelemetry/api": { optional: true }, millrace: { optional: true } },
  });
  writePackage(dist, published, readFileSync(join(root, "docs", "reference", "sdk.md"), "utf8"));
  writeFileSync(join(dist, "esm", "package.json"), '{ "type": "module" }\n');
  writeFileSync(join(dist, "cjs", "package.json"), '{ "type": "commonjs" }\n');
}

function conditions(path) {
  const as = (format) => ({ types: `./${format}/${path}.d.ts`, default: `./${format}/${path}.js` });
  return { import: as("esm"), require: as("cjs") };
}

const [, program = root] = process.argv;
if (realpathSync(program) === import.meta.filename) console.log(await buildSdk());
