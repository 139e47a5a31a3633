import { join } from "node:path";
import { EmbeddedPostgresError, messageOf } from "../embedded-postgres-error.ts";
import { createDataDir } from "./data-dir.ts";
import { claimFile, type Holder, newHolder } from "./exclusive-file.ts";

export interface HoldOptions {
  /** The command of the holder, such as `dev` or `serve`. */
  mode: string;
  port: number;
}

interface DataDirHolder extends Holder, HoldOptions {}

/** Locks a data directory for one service at a time, creating it if it is missing. A dead holder is replaced. */
export async function holdDataDir(dataDir: string, options: HoldOptions): Promise<{ release: () => void }> {
  const path = createDataDir(dataDir);
  const own: DataDirHolder = { ...newHolder(), ...options };
  const claim = await claimFile(join(path, HOLDER_FILE), own).catch((error: unknown) => {
    throw new EmbeddedPostgresError(`The data directory ${path} cannot be written: ${messageOf(error)}`, {
      cause: error,
    });
  });
  if (claim.kind === "refused") throw alreadyHeld(path, claim.holder);
  return { release: claim.release };
}

const HOLDER_FILE = "held-by.json";

function alreadyHeld(dataDir: string, { mode, pid, port }: DataDirHolder): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    `millrace ${mode} (pid ${pid}, port ${port}) already uses the data directory ${dataDir}. ` +
      `Use that one, stop it (kill ${pid}), or choose another data directory`,
  );
}
