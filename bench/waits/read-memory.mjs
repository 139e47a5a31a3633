import { readFileSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { until } from "./until.mjs";

const TELLER = fileURLToPath(new URL("tell-memory.mjs", import.meta.url));

/** What a service is started with so that it can be asked. */
export function memoryTeller(file) {
  return { node: ["--expose-gc", `--import=${TELLER}`], env: { BENCH_MEMORY_FILE: file } };
}

/** What the service holds in memory after its garbage is collected. */
export async function readMemoryMb({ pid, memoryFile }) {
  rmSync(memoryFile, { force: true });
  process.kill(pid, "SIGUSR2");
  let bytes;
  await until("the service to tell its memory", () => {
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
