import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { workflowBench } from "../../../test/costs/workflow-bench.ts";
import { cloneDatabase, emptyDatabase, runSql, type TestConnection } from "../../../test/world/database.ts";
import { makeWorld, type World } from "../../../test/world/world.ts";
import { createBackup } from "./create-backup.ts";
import { restoreBackup, verifyBackup } from "./restore-backup.ts";

let world: World;
let folder: string;
let file: string;
let written: Record<string, number>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "millrace-backup-"));
  world = await makeWorld();
  const project = await world.project();
  const bench = await workflowBench(world, project);
  const text = "tabs\t, lines\n, \\. and \\N, quotes \" and ' and 漢字";
  await project.api.post(`/v1/jobs/${bench.job_id}/trigger`, { payload: { text } });
  await bench.run(await bench.save([{ step_ref: "a" }, { step_ref: "w", type: "wait_for_event", event_key: "later" }]));
  while (await world.tick("sum-changes"));
  file = join(folder, "millrace.backup");
  written = await createBackup(world.connection, file);
});

afterAll(() => rmSync(folder, { recursive: true }));

/** Every table as text, in the order of its rows. */
async function contentsOf(connection: TestConnection): Promise<Record<string, string[]>> {
  const contents: Record<string, string[]> = {};
  for (const name of Object.keys(written)) {
    const rows = await runSql<{ row: string }>(connection, `select t::text as row from "${name}" t order by 1`);
    contents[name] = rows.map(({ row }) => row);
  }
  return contents;
}

const changed = (change: (text: string) => string) => {
  const path = join(folder, `${randomBytes(4).toString("hex")}.backup`);
  writeFileSync(path, gzipSync(change(gunzipSync(readFileSync(file)).toString())));
  return path;
};

describe("a backup", () => {
  it("is restored into an empty database with every row and the sequences", async () => {
    const target = await emptyDatabase();
    expect(await restoreBackup(target, file)).toEqual(written);
    expect(written.runs).toBeGreaterThan(1);
    expect(await contentsOf(target)).toEqual(await contentsOf(world.connection));
    const last = "select last_value from pg_sequences where schemaname = 'public' order by sequencename";
    expect(await runSql(target, last)).toEqual(await runSql(world.connection, last));
  });

  it("is one snapshot: a service that goes on is not in it", async () => {
    const before = written.projects ?? 0;
    await world.project();
    const { rows, header } = await verifyBackup(file);
    expect(rows.projects).toBe(before);
    expect(rows).toEqual(written);
    expect(header.tables.map(({ name }) => name)).not.toContain("leaders");
  });

  it("can be read by its owner alone, and leaves no unfinished file", async () => {
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const path = join(folder, "missing", "x.backup");
    await expect(createBackup(world.connection, path)).rejects.toThrow(/ENOENT/);
    await expect(createBackup(await emptyDatabase(), join(folder, "y.backup"))).rejects.toThrow(
      /no tables of Millrace/,
    );
    expect(() => statSync(join(folder, "y.backup.unfinished"))).toThrow(/ENOENT/);
  });
});

describe("a restore refuses", () => {
  it("a database that has projects, and leaves it as it is", async () => {
    await expect(restoreBackup(world.connection, file)).rejects.toThrow(/already has projects/);
  });

  it.each([
    ["a changed row", (text: string) => text.replace("tabs", "taps"), /checksum differs/],
    ["a missing row", (text: string) => text.replace(/\n[^\n]*tabs[^\n]*/, ""), /checksum differs/],
    ["a file that was cut", (text: string) => text.slice(0, text.length / 2), /ends too early/],
    ["a newer version", (text: string) => text.replace("0001_clock", "9999_clock"), /newer version .*9999_clock/],
    ["another file", () => "hello\n", /not a backup of Millrace/],
  ])("%s, and restores nothing", async (_, change, reason) => {
    const target = await cloneDatabase();
    await expect(restoreBackup(target, changed(change))).rejects.toThrow(reason);
    expect(await runSql(target, "select 1 from projects")).toEqual([]);
  });

  it("a file that is not compressed, or is not there", async () => {
    const path = join(folder, "plain.backup");
    writeFileSync(path, "hello");
    await expect(verifyBackup(path)).rejects.toThrow(/damaged or is not a backup/);
    rmSync(path);
    await expect(verifyBackup(path)).rejects.toThrow(/ENOENT/);
  });
});
