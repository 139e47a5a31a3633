import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryDir } from "../../../../test/embedded-postgres/temporary-dir.ts";
import { socketDirFor } from "../endpoint.ts";
import { createDataDir } from "./data-dir.ts";
import { removeDataDir } from "./remove-data-dir.ts";
import { removeLeftovers, SOCKET_DIRS } from "./remove-leftovers.ts";

const TOMORROW = Date.now() + 25 * 3_600_000;
const TESTS = { name: /^tests-/, days: 1 };

describe("leftovers", () => {
  it("are removed when they are old, by name only", () => {
    const folder = temporaryDir();
    for (const name of ["tests-a", "tests-b", "mine"]) mkdirSync(join(folder, name, "inside"), { recursive: true });
    writeFileSync(join(folder, "tests-file"), "");
    expect(removeLeftovers(folder, [TESTS])).toEqual([]);
    expect(removeLeftovers(folder, [TESTS], TOMORROW).toSorted()).toEqual(["tests-a", "tests-b"]);
    expect(["mine", "tests-file"].every((name) => existsSync(join(folder, name)))).toBe(true);
  });

  it("are kept when they lack the expected content, since they belong to other software", () => {
    const folder = temporaryDir();
    for (const name of ["tests-a/ssr", "tests-b/mine"]) mkdirSync(join(folder, name), { recursive: true });
    expect(removeLeftovers(folder, [{ ...TESTS, holds: "ssr" }], TOMORROW)).toEqual(["tests-a"]);
  });

  it("include the folder of a socket only when it is empty", () => {
    const folder = temporaryDir();
    const [unused, used] = ["millrace-0123456789ab", "millrace-ba9876543210"] as const;
    for (const name of [unused, used]) mkdirSync(join(folder, name));
    writeFileSync(join(folder, used, ".s.PGSQL.5432"), "");
    expect(removeLeftovers(folder, [SOCKET_DIRS], TOMORROW)).toEqual([unused]);
    expect(existsSync(join(folder, used, ".s.PGSQL.5432"))).toBe(true);
  });
});

describe("an unused data directory", () => {
  it("is removed together with the folder of its socket", () => {
    const dataDir = createDataDir(join(temporaryDir(), "data"));
    const socketDir = socketDirFor({ clusterDir: join(dataDir, "postgres"), user: undefined });
    mkdirSync(socketDir);
    removeDataDir(dataDir);
    expect([existsSync(dataDir), existsSync(socketDir)]).toEqual([false, false]);
  });
});
