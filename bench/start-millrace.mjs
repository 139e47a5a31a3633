import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** A service of its own for a benchmark: embedded database, limits off, durable as in production. */
export async function startMillrace({ dataDir, env = {} }) {
  const child = spawn(process.execPath, [join(root, "tools", "millrace.mjs"), "dev"], {
    env: { ...process.env, MILLRACE_DATA_DIR: dataDir, PORT: "0", LOG_LEVEL: "error", ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.on("data", (chunk) => {
    output += chunk;
  });
  const url = await waitFor(() => /API {8}(http\S+)\/v1/.exec(output)?.[1], child);
  const key = /API key {4}(svc_\w+)/.exec(output)?.[1];
  return {
    url,
    headers: { authorization: `Bearer ${key}` },
    pid: child.pid,
    stop: async () => {
      child.kill("SIGINT");
      await once(child, "exit");
    },
  };
}

async function waitFor(find, child) {
  for (let tries = 0; tries < 600; tries++) {
    const found = find();
    if (found) return found;
    if (child.exitCode !== null) throw new Error(`millrace ended with ${child.exitCode}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("millrace did not start");
}

/** A directory for a benchmark's database that PostgreSQL's own user can reach when we are root. */
export function newDataDir() {
  const folder = mkdtempSync(join(tmpdir(), "millrace-bench-"));
  chmodSync(folder, 0o755);
  return folder;
}

/** How to reach the database of a running service: as its own lock file says. */
export function connectionTo(dataDir) {
  const [, , , port, host] = readFileSync(join(dataDir, "postgres", "postmaster.pid"), "utf8").split("\n");
  return { host, port: Number(port), user: "millrace", database: "millrace" };
}
