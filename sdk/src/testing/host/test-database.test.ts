import { existsSync, mkdirSync, rmSync, utimesSync } from "node:fs";
import { dirname, join } from "node:path";
import { installBinaries } from "@millrace/server/src/platform/embedded-postgres/install-binaries.ts";
import { chooseServerUser } from "@millrace/server/src/platform/embedded-postgres/server-user.ts";
import { pino } from "pino";
import { expect, it } from "vitest";
import { startTestDatabase } from "./test-database.ts";

const DAY_MS = 86_400_000;

async function aged(name: string, days: number): Promise<string> {
  const binaries = await installBinaries({ user: chooseServerUser(), cacheHome: process.env.XDG_CACHE_HOME });
  const folder = join(dirname(binaries), `test-cluster-${name}`);
  mkdirSync(join(folder, "base"), { recursive: true });
  const then = new Date(Date.now() - days * DAY_MS);
  utimesSync(folder, then, then);
  return folder;
}

it("a test database cleans up after itself, and removes unused copies of other versions", async () => {
  const [unused, used] = [await aged("of-an-older-version", 8), await aged("of-another-checkout", 6)];
  const { connection, stop } = await startTestDatabase(pino({ level: "silent" }));
  expect([existsSync(unused), existsSync(used), existsSync(connection.host)]).toEqual([false, true, true]);
  await stop();
  expect(existsSync(connection.host)).toBe(false);
  rmSync(used, { recursive: true });
}, 60_000);
