import { rmSync } from "node:fs";
import { socketDirFor } from "../endpoint.ts";
import { clusterDirOf } from "./data-dir.ts";

/** Removes an unused data directory after its server has stopped, and the folder of its socket. */
export function removeDataDir(dataDir: string): void {
  const socketDir = socketDirFor({ clusterDir: clusterDirOf(dataDir), user: undefined });
  for (const path of [dataDir, socketDir])
    rmSync(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
}
