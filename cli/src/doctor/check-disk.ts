import { existsSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import type { Cli } from "../cli.ts";
import { type Check, failed, ok, warning } from "./check.ts";

const GB = 1_073_741_824;
const MIN_BYTES = 0.2 * GB;
const COMFORTABLE_BYTES = 2 * GB;

/** Checks the disk of the embedded database. A full disk stops PostgreSQL. */
export const checkDisk: Check = async (cli) => {
  const folder = existing(dataDir(cli));
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  const message = `${(free / GB).toFixed(1)} GB free at ${folder}`;
  if (free < MIN_BYTES) return [failed("disk", message, "Free some space, or set MILLRACE_DATA_DIR to another disk.")];
  if (free < COMFORTABLE_BYTES)
    return [warning("disk", message, "Free some space: the database stops when the disk is full.")];
  return [ok("disk", message)];
};

function dataDir({ env, cwd }: Cli): string {
  if (env.MILLRACE_DATA_DIR) return resolve(cwd, env.MILLRACE_DATA_DIR);
  if (!env.INTERNAL_SECRET) return join(cwd, ".millrace");
  return join(env.XDG_STATE_HOME || join(homedir(), ".local", "state"), "millrace");
}

function existing(folder: string): string {
  return existsSync(folder) ? folder : existing(dirname(folder));
}
