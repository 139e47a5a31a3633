import { fail } from "./ensure-installed.mjs";
import { nameOfPlace } from "./packages/lock-closure.mjs";
import { shipped } from "./packages/shipped.mjs";

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

const refused = Object.entries(shipped()).filter(([, { license }]) => !ALLOWED.has(license));
for (const [place, { version, license }] of refused) {
  process.stderr.write(`${nameOfPlace(place)} ${version}: ${license ?? "no license"}\n`);
}
if (refused.length > 0) fail(`${refused.length} packages have a license that tools/check-licenses.mjs does not allow`);
