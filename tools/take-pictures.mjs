import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { ensureInstalled, root } from "./ensure-installed.mjs";

// `npm run pictures` regenerates docs/images with demo data and a real browser, in both themes. `npm run pictures --
// home,runs` regenerates only those.
await ensureInstalled();
const [only] = process.argv.slice(2);
const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
const env = { ...process.env, PICTURES: join(root, "docs", "images"), ...(only && { PICTURE_NAMES: only }) };
const { status } = spawnSync(process.execPath, [vitest, "run", "dashboard/test/pictures.test.ts"], {
  cwd: root,
  stdio: "inherit",
  env,
});
process.exit(status ?? 1);
