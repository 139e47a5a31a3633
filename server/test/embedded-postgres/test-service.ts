import { holdDataDir } from "../../src/platform/embedded-postgres/cluster/hold-data-dir.ts";
import type { BinaryPackage } from "../../src/platform/embedded-postgres/find-package.ts";
import { installBinaries } from "../../src/platform/embedded-postgres/install-binaries.ts";
import { startEmbeddedPostgres } from "../../src/platform/embedded-postgres/start-embedded-postgres.ts";
import type { ServiceMessage, ServiceTask } from "./service-process.ts";

// A service to be killed: performs its task, prints one line of JSON per event, and stays until SIGTERM.
const keepAlive = setInterval(() => {}, 60_000);

try {
  await run(JSON.parse(process.argv[2] ?? ""));
} catch (error) {
  print({ kind: "refused", message: error instanceof Error ? error.message : String(error) });
  clearInterval(keepAlive);
}

function run(task: ServiceTask): Promise<void> {
  switch (task.task) {
    case "start":
      return start(task.dataDir);
    case "hold":
      return hold(task.dataDir);
    case "install":
      return install(task.cacheHome, task.from);
  }
}

async function start(dataDir: string) {
  const database = await startEmbeddedPostgres({ dataDir, say: (message) => print({ kind: "said", message }) });
  database.onExit(() => print({ kind: "exited" }));
  process.once("SIGTERM", () => void database.stop().then(() => process.exit(0)));
  print({ kind: "started", pid: database.pid, url: database.url });
}

async function hold(dataDir: string) {
  await holdDataDir(dataDir, { mode: "dev", port: 4000 });
  print({ kind: "held", pid: process.pid });
}

async function install(cacheHome: string, from: BinaryPackage) {
  const directory = await installBinaries({ user: undefined, cacheHome }, from);
  print({ kind: "installed", directory });
}

function print(message: ServiceMessage) {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}
