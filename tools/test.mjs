import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { ensureInstalled, root } from "./ensure-installed.mjs";

// `npm test`, or `npm test -- server/src/api` for a part. Brings its own dependencies and its own PostgreSQL.
await ensureInstalled();
const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
const { status } = spawnSync(process.execPath, [vitest, "run", ...process.argv.slice(2)], {
  cwd: root,
  stdio: "inherit",
});
process.exit(status ?? 1);
