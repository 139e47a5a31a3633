import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fail, root } from "./ensure-installed.mjs";
import { lockClosure, nameOfPlace } from "./packages/lock-closure.mjs";
import { BUILD_TOOLS } from "./packages/third-party-notices.mjs";

// `npm run lint:licenses`: everything that users install, or that is in our bundles, has a license that allows it.
const ALLOWED = new Set([
  "0BSD",
  "Apache-2.0",
  "BlueOak-1.0.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "ISC",
  "MIT",
  "MIT-0",
  "OFL-1.1",
  "Unlicense",
]);

const found = Object.assign({}, ...["server", "cli", "dashboard", "contract"].map(shippedWith));
const refused = Object.entries(found).filter(([, { license }]) => !ALLOWED.has(license));
for (const [place, { version, license }] of refused) {
  process.stderr.write(`${nameOfPlace(place)} ${version}: ${license ?? "no license"}\n`);
}
if (refused.length > 0) fail(`${refused.length} packages have a license that tools/check-licenses.mjs does not allow`);

function shippedWith(workspace) {
  const manifest = JSON.parse(readFileSync(join(root, workspace, "package.json"), "utf8"));
  const names = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies });
  return lockClosure(
    workspace,
    names.filter((name) => !name.startsWith("@millrace/") && !BUILD_TOOLS.has(name)),
  );
}
