import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { buildSdk } from "./build-sdk.mjs";
import { ensureInstalled, fail, root } from "./ensure-installed.mjs";
import { buildContract } from "./packages/build-contract.mjs";
import { buildCreateApp } from "./packages/build-create-app.mjs";
import { buildMillrace } from "./packages/build-millrace.mjs";

const PACKAGES = { millrace: buildMillrace, contract: buildContract, "create-millrace-app": buildCreateApp };

/** Builds everything that is published, and packs it into dist/tarballs. Returns the paths of the tarballs. */
export async function packPackages() {
  const tarballs = join(root, "dist", "tarballs");
  rmSync(tarballs, { recursive: true, force: true });
  mkdirSync(tarballs, { recursive: true });
  return (await buildPackages()).map((folder) => join(tarballs, pack(folder, tarballs)));
}

async function buildPackages() {
  mkdirSync(join(root, "dist"), { recursive: true });
  const draft = mkdtempSync(join(root, "dist", "draft-"));
  const final = join(root, "dist", "packages");
  for (const [name, build] of Object.entries(PACKAGES)) {
    mkdirSync(join(draft, name));
    await build(join(draft, name));
  }
  rmSync(final, { recursive: true, force: true });
  renameSync(draft, final);
  return [...Object.keys(PACKAGES).map((name) => join(final, name)), await buildSdk()];
}

function pack(folder, to) {
  const options = { cwd: folder, encoding: "utf8", shell: process.platform === "win32" };
  const { status, stdout, stderr } = spawnSync("npm", ["pack", "--silent", "--pack-destination", to], options);
  if (status !== 0) fail(`npm pack failed in ${folder}:\n${stderr}`);
  return stdout.trim();
}

// `npm run packages`: prints the tarballs, which `npm publish` takes.
const [, program = root] = process.argv;
if (realpathSync(program) === import.meta.filename) {
  await ensureInstalled();
  for (const tarball of await packPackages()) process.stdout.write(`${tarball}\n`);
}
