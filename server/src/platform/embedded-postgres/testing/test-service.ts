import type { BinaryPackage } from "../find-package.ts";
import { holdDataDir } from "../hold-data-dir.ts";
import { installBinaries } from "../install-binaries.ts";
import { startEmbeddedPostgres } from "../start-embedded-postgres.ts";
import type { ServiceTask, Told } from "./service-process.ts";

// A service to be killed: performs its task, prints one line of JSON per event, and stays until SIGTERM.
const stay = setInterval(() => {}, 60_000);

try {
  await run(JSON.parse(process.argv[2] ?? ""));
} catch (error) {
  tell({ kind: "refused", message: error instanceof Error ? error.message : String(error) });
  clearInterval(stay);
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
  const database = await startEmbeddedPostgres({ dataDir, say: (message) => tell({ kind: "said", message }) });
  database.onExit(() => tell({ kind: "exited" }));
  process.once("SIGTERM", () => void database.stop().then(() => process.exit(0)));
  tell({ kind: "started", pid: database.pid, url: database.url });
}

async function hold(dataDir: string) {
  await holdDataDir(dataDir, { mode: "dev", port: 4000 });
  tell({ kind: "held", pid: process.pid });
}

async function install(cacheHome: string, from: BinaryPackage) {
  const directory = await installBinaries({ user: undefined, cacheHome }, from);
  tell({ kind: "installed", directory });
}

function tell(told: Told) {
  process.stdout.write(`${JSON.stringify(told)}\n`);
}
