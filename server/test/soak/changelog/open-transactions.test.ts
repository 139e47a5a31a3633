import pg from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Harness, openHarness } from "../../harness/open-harness.ts";
import { useServices } from "../../service/start-service.ts";
import { emptyDatabase, runSql } from "../../world/database.ts";
import { scenarioSize } from "../../world/size.ts";
import { until } from "../../world/until.ts";
import { checkChangelog } from "./check-changelog.ts";
import { followRuns } from "./follow-runs.ts";
import { makeSubject, startLoad } from "./load.ts";

useServices();

const TRIGGERS = scenarioSize({ quick: 20, usual: 100, whole: 5_000 });
const EVERY_MS = 20;
const WITHIN_MS = 120_000;

let harness: Harness;
const held: pg.Client[] = [];
beforeAll(async () => {
  harness = await openHarness({ name: "changelog open transactions" });
});
afterAll(async () => void (await Promise.all(held.map((client) => client.end()))));

async function hold(connection: pg.ClientConfig, ...statements: string[]): Promise<pg.Client> {
  const client = new pg.Client(connection);
  await client.connect();
  for (const statement of statements) await client.query(statement);
  held.push(client);
  return client;
}

it("a snapshot and foreign write transactions that stay open delay no webhook, no stream and no sum", async () => {
  const { connection, instances, random } = harness;
  await runSql(connection, "create table foreign_writes (id int)");
  const subject = await makeSubject(harness);
  const write = ["begin", "insert into foreign_writes values (1)"];
  const others = await emptyDatabase();
  const open = [
    await hold(connection, "begin isolation level repeatable read", "select count(*) from changelog_inbox"),
    await hold(connection, ...write),
    await hold(others, "create table foreign_writes (id int)", ...write),
  ];
  const followed = await followRuns(instances.urls, subject.project.project_id);
  const load = startLoad(subject, random, { everyMs: EVERY_MS, keys: "load" });
  await until("all triggers", WITHIN_MS, () => load.triggered() >= TRIGGERS);
  const triggered = await load.stop();
  const checked = await checkChangelog(harness, subject.project, followed);
  // All of it happened while the three were open: these began before, and have not ended.
  for (const client of open) {
    const { rows } = await client.query(
      "select xact_start < $1::timestamptz as is_older from pg_stat_activity where pid = pg_backend_pid()",
      [new Date()],
    );
    expect(rows).toEqual([{ is_older: true }]);
  }
  console.info(`three open transactions: ${JSON.stringify({ triggered, ...checked })}`);
  expect(checked.transitions).toBeGreaterThan(TRIGGERS);
}, 400_000);
