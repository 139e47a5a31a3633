import { execFileSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../service/start-service.ts";
import { whenFileEnds } from "../../world/end-of-file.ts";

/** The build that the current tree is compared with, unless BASELINE names another. */
const BASELINE = "fef3393a";

export const baselineRef = process.env.BASELINE ?? BASELINE;

export function buildBaseline(): string {
  return buildRevision(baselineRef);
}

/** Checks a version out into a temporary folder and builds its server. Returns the path of the program. */
export function buildRevision(ref: string): string {
  const folder = mkdtempSync("/tmp/millrace-service-");
  whenFileEnds(async () => rmSync(folder, { recursive: true, force: true }));
  const archive = execFileSync("git", ["archive", ref], { cwd: ROOT, maxBuffer: 2 ** 30 });
  execFileSync("tar", ["-x", "-C", folder], { input: archive });
  if (isEqual(folder, "package-lock.json")) {
    // npm may have installed everything in the root.
    const installed = ["", "server"].filter((workspace) => existsSync(join(ROOT, workspace, "node_modules")));
    for (const workspace of installed) linkPackages(join(ROOT, workspace), join(folder, workspace));
  } else {
    const install = ["ci", "--ignore-scripts", "--no-audit", "--prefer-offline"];
    execFileSync("npm", install, { cwd: folder, stdio: "inherit" });
  }
  const build = 'import("./tools/build-server.mjs").then(({ buildServer }) => buildServer())';
  execFileSync(process.execPath, ["-e", build], { cwd: folder, stdio: "inherit" });
  return join(folder, "server", "dist", "main.js");
}

function isEqual(folder: string, file: string): boolean {
  return readFileSync(join(folder, file)).equals(readFileSync(join(ROOT, file)));
}

/** The relative links to workspaces are recreated, so that the baseline imports its own contract. */
function linkPackages(from: string, to: string): void {
  const source = join(from, "node_modules");
  const target = join(to, "node_modules");
  mkdirSync(target, { recursive: true });
  for (const name of readdirSync(source)) {
    if (name.startsWith(".")) continue;
    if (name === "@millrace") {
      mkdirSync(join(target, name));
      for (const each of readdirSync(join(source, name)))
        repeatLink(join(source, name, each), join(target, name, each));
    } else symlinkSync(join(source, name), join(target, name));
  }
}

function repeatLink(from: string, to: string): void {
  if (!lstatSync(from).isSymbolicLink()) throw new Error(`${from} is not the link of a workspace`);
  symlinkSync(readlinkSync(from), to);
}
