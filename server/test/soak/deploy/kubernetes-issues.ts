import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { transformSync } from "esbuild";
import { whenFileEnds } from "../../world/end-of-file.ts";
import type { Manifest } from "./render-chart.ts";

const TSC = resolve(import.meta.dirname, "../../../../node_modules/typescript/bin/tsc");
/** Types and JSON schemas, made from the OpenAPI document of Kubernetes and the resource definitions of the operator. */
const MODELS = ["kubernetes-models@5.1.0", "@kubernetes-models/prometheus-operator@6.0.0"];

/** A folder with the models, or why there is none. */
export function installModels(): { folder: string } | { reason: string } {
  const folder = mkdtempSync(join(tmpdir(), "millrace-models-"));
  whenFileEnds(async () => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  const args = ["install", "--silent", "--ignore-scripts", "--no-audit", "--no-fund", ...MODELS];
  const { status } = spawnSync("npm", args, { cwd: folder, stdio: "ignore" });
  return status === 0 ? { folder } : { reason: `needs ${MODELS.join(" and ")} from the npm registry` };
}

/**
 * What Kubernetes would reject. As literals of TypeScript, manifests may have only known fields; the schemas know formats
 * and limits as well.
 */
export function kubernetesIssues(folder: string, manifests: Manifest[]): string[] {
  const source = manifests.map(sourceOf).join("\n");
  const file = join(folder, "manifests.ts");
  writeFileSync(file, source);
  const options = [
    "--ignoreConfig",
    "--noEmit",
    "--strict",
    "--skipLibCheck",
    "--module",
    "nodenext",
    "--target",
    "es2022",
  ];
  const types = spawnSync(process.execPath, [TSC, ...options, file], { encoding: "utf8" }).stdout;
  const { code } = transformSync(source, { loader: "ts", target: "es2022" });
  writeFileSync(join(folder, "manifests.mjs"), code);
  const schemas = execFileSync(process.execPath, [join(folder, "manifests.mjs")], { encoding: "utf8" });
  return `${types}${schemas}`.split("\n").filter((line) => line.trim() !== "");
}

function sourceOf(manifest: Manifest, nth: number): string {
  const { apiVersion, kind, metadata } = manifest;
  const isOwn = apiVersion === "v1" || !apiVersion.startsWith("monitoring.coreos.com/");
  const place = `${isOwn ? "kubernetes-models" : "@kubernetes-models/prometheus-operator"}/${apiVersion}`;
  return `import { ${kind} as Kind${nth}, type I${kind} as Fields${nth} } from ${JSON.stringify(place)};
const manifest${nth}: Fields${nth} = ${JSON.stringify(manifest)};
try { new Kind${nth}(manifest${nth}).validate(); } catch (error) { console.log(${JSON.stringify(`${kind} ${metadata.name}:`)}, (error as Error).message); }`;
}
