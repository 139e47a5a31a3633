import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { whenFileEnds } from "../../world/end-of-file.ts";

export type Unpacked = { root: string } | { reason: string };

/**
 * What of these packages and their dependencies is not installed, unpacked into a temporary folder: tests install nothing.
 * Otherwise why this machine cannot have them.
 */
export function unpackPackages(names: string[]): Unpacked {
  const folder = mkdtempSync(join(tmpdir(), "millrace-debian-"));
  whenFileEnds(async () => rmSync(folder, { recursive: true, force: true }));
  const [archives, root] = [join(folder, "archives"), join(folder, "root")];
  mkdirSync(join(archives, "partial"), { recursive: true });
  mkdirSync(root);
  const options = ["--download-only", "--yes", "--no-install-recommends", "-o", "Debug::NoLocking=1"];
  const args = ["install", ...options, "-o", `Dir::Cache::archives=${archives}`, ...names];
  const { status, stderr, error } = spawnSync("apt-get", args, { encoding: "utf8" });
  if (error) return { reason: "needs apt-get" };
  if (status !== 0) return { reason: `needs ${names.join(", ")}; apt-get says: ${stderr.trim()}` };
  for (const name of readdirSync(archives).filter((each) => each.endsWith(".deb")))
    execFileSync("dpkg-deb", ["-x", join(archives, name), root]);
  return { root };
}

/** The installed program, or the unpacked one. */
export function programIn(root: string, name: string): string {
  const folders = [...(process.env.PATH ?? "").split(":"), join(root, "usr/bin")];
  const folder = folders.find((each) => existsSync(join(each, name)));
  if (folder === undefined) throw new Error(`neither installed nor unpacked: ${name}`);
  return join(folder, name);
}
