import { link, readFile, rm, writeFile } from "node:fs/promises";
import { isRunning } from "../../server/src/platform/embedded-postgres/running-process.ts";
import { until } from "../../server/test/until.ts";

const LONGEST_HELD_MS = 600_000;

/** Runs `work` in one process of the machine at a time. The file holds the pid of its owner; a dead owner's is removed. */
export async function withFileLock<T>(file: string, work: () => Promise<T>): Promise<T> {
  await until(`${file} to be released`, LONGEST_HELD_MS, async () => (await take(file)) || (await removeOrphan(file)));
  try {
    return await work();
  } finally {
    await rm(file, { force: true });
  }
}

/** The link appears with its content, and fails when the name is taken. */
async function take(file: string): Promise<boolean> {
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, String(process.pid));
  try {
    await link(draft, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return false;
  } finally {
    await rm(draft, { force: true });
  }
}

/** Two processes that find the same orphan may both get past it: the work must bear being done twice. */
async function removeOrphan(file: string): Promise<false> {
  const pid = Number(await readFile(file, "utf8").catch(() => process.pid));
  if (!isRunning(pid)) await rm(file, { force: true });
  return false;
}
