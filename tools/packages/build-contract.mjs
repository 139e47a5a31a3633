import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fail, root } from "../ensure-installed.mjs";
import { publishedManifest, readManifest, writePackage } from "./manifest.mjs";

/** Builds `@millrace/contract`: one module and its types per source file. */
export function buildContract(folder) {
  const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
  const args = [tsc, "-p", join(root, "contract", "tsconfig.build.json"), "--outDir", join(folder, "dist")];
  const { status, stdout } = spawnSync(process.execPath, args, { encoding: "utf8" });
  if (status !== 0) fail(`The contract could not be compiled:\n${stdout}`);
  for (const name of readdirSync(join(folder, "dist"), { recursive: true })) {
    if (!name.endsWith(".d.ts")) continue;
    // The compiler keeps the extensions of sources in declarations.
    const file = join(folder, "dist", name);
    writeFileSync(file, readFileSync(file, "utf8").replaceAll(/(["'])(\.{1,2}\/[^"']+)\.ts\1/g, "$1$2.js$1"));
  }
  const { name, description, keywords, dependencies } = readManifest("contract");
  const exports = { "./*": { types: "./dist/*.d.ts", default: "./dist/*.js" } };
  const manifest = publishedManifest(
    { name, description, keywords },
    { directory: "contract", sideEffects: false, exports, files: ["dist"], dependencies },
  );
  writePackage(folder, manifest, readFileSync(join(root, "contract", "README.md"), "utf8"));
}
