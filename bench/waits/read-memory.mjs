import { readFileSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { until } from "./until.mjs";

const REPORTER = fileURLToPath(new URL("report-memory.mjs", import.meta.url));

/** Options that let a service report its memory. */
export function memoryReporter(file) {
  return { node: ["--expose-gc", `--import=${REPORTER}`], env: { BENCH_MEMORY_FILE: file } };
}

/** Memory in use by the service after garbage collection. */
export async function readMemoryMb({ pid, memoryFile }) {
  rmSync(memoryFile, { force: true });
  process.kill(pid, "SIGUSR2");
  let bytes;
  await until("the service to report its memory", () => {
    bytes = readIfThere(memoryFile);
    return bytes !== undefined;
  });
  return Number(bytes) / 1024 / 1024;
}

function readIfThere(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
