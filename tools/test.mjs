import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { ensureInstalled, fail, root } from "./ensure-installed.mjs";

// `npm test`, or `npm test -- server/src/api` for a part; `npm run test:soak -- service` for a campaign.
// Brings its own dependencies and its own PostgreSQL.
await ensureInstalled();
const [first, ...rest] = process.argv.slice(2);
const args = first === "--soak" ? soakArgs(rest) : process.argv.slice(2);
const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
const { status } = spawnSync(process.execPath, [vitest, "run", ...args], { cwd: root, stdio: "inherit" });
process.exit(status ?? 1);

function soakArgs([name, ...others]) {
  const folders = new Map(
    readdirSync(join(root, "server", "test", "soak")).map((folder) => [folder, `server/test/soak/${folder}/`]),
  );
  folders.set("dashboard", "dashboard/test/soak/");
  const folder = folders.get(name) ?? fail(`usage: npm run test:soak -- <${[...folders.keys()].join(" | ")}>`);
  // What pages take is measured: nothing runs beside them.
  const alone = name === "dashboard" ? ["--no-file-parallelism"] : [];
  return ["--config", "vitest.soak.config.ts", ...alone, folder, ...others];
}
