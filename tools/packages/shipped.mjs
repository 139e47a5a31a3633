import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../ensure-installed.mjs";
import { lockClosure } from "./lock-closure.mjs";
import { BUILD_TOOLS } from "./third-party-notices.mjs";

/** Everything that users install with our packages, or that is in our bundles: entries of the lockfile, by path. */
export function shipped() {
  return Object.assign({}, ...["server", "cli", "dashboard", "contract"].map(shippedWith));
}

function shippedWith(workspace) {
  const manifest = JSON.parse(readFileSync(join(root, workspace, "package.json"), "utf8"));
  const names = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies });
  return lockClosure(
    workspace,
    names.filter((name) => !name.startsWith("@millrace/") && !BUILD_TOOLS.has(name)),
  );
}
