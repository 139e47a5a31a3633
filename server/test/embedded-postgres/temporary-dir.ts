import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, onTestFinished } from "vitest";
import { socketDirFor } from "../../src/platform/embedded-postgres/endpoint.ts";

/** A directory that the server's user may search, removed after the test. */
export function temporaryDir(): string {
  const { directory, remove } = makeDir();
  onTestFinished(remove);
  return directory;
}

/** The same, for all tests of a file: creating a cluster takes a second, starting it again 50 ms. */
export function temporaryDirForFile(): string {
  const { directory, remove } = makeDir();
  afterAll(remove);
  return directory;
}

function makeDir() {
  const directory = mkdtempSync("/tmp/millrace-test-");
  chmodSync(directory, 0o755);
  const socketDir = socketDirFor({ clusterDir: join(directory, "data", "postgres"), user: undefined });
  const remove = () => {
    for (const path of [directory, socketDir]) rmSync(path, { recursive: true, force: true });
  };
  return { directory, remove };
}
