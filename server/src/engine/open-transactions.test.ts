import pg from "pg";
import { beforeAll, describe, expect, it } from "vitest";
import { listener } from "../../test/oracles/published-events.ts";
import { jobEndpoint } from "../../test/outside/job-endpoint.ts";
import { readStream } from "../../test/outside/read-stream.ts";
import { makeJob } from "../../test/seed/make-workflow.ts";
import { emptyDatabase, runSql } from "../../test/world/database.ts";
import { whenFileEnds } from "../../test/world/end-of-file.ts";
import { until } from "../../test/world/until.ts";
import { makeWorld, type World } from "../../test/world/world.ts";
import { sequenceChanges } from "../platform/changelog/sequence-changes.ts";
import { newId } from "../platform/ids.ts";
import { newServiceState } from "../platform/service-state.ts";

const ROUNDS = 6;

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

async function hold(connection: pg.ClientConfig, ...statements: string[]): Promise<void> {
  const client = new pg.Client(connection);
  client.on("error", () => {});
  await client.connect();
  for (const statement of ["begin isolation level repeatable read", ...statements]) await client.query(statement);
  whenFileEnds(() => client.end());
}

/** The id after which the inbox is scanned, so that rows which vacuum cannot remove are not read again and again. */
async function scannedAfter(): Promise<number> {
  await runSql(
    world.connection,
    "insert into changelog_inbox (project_id, kind, ids, created_at) values ($1, 'batch_operation', '{}', clock())",
    [newId()],
  );
  await sequenceChanges({ ...world.ctx, state: newServiceState() });
  const [head] = await runSql<{ id: number }>(world.connection, "select scan_after::int as id from changelog_head");
  return head?.id ?? 0;
}

describe("a snapshot and foreign writes that stay open for an hour", () => {
  it("delay no webhook, stream or sum, and do not lengthen the scan of the inbox", async () => {
    const project = await world.project();
    const endpoint = await jobEndpoint();
    const job = await makeJob(project, { endpoint_url: endpoint.url });
    const { published } = await listener(world, project.id, { events: ["run.completed"] });
    const headers = { authorization: `Bearer ${project.key}` };
    const stream = await readStream(world.url, "/v1/stream?topics=runs", headers);
    await stream.next("open");
    await runSql(world.connection, "create table foreign_writes (id int)");
    await hold(world.connection, "select count(*) from changelog_inbox");
    await hold(world.connection, "insert into foreign_writes values (1)");
    await hold(await emptyDatabase(), "create table foreign_writes (id int)");

    let scanned = await scannedAfter();
    for (let round = 1; round <= ROUNDS; round++) {
      await world.clock.pass("10m");
      const { body: run } = await project.api.post(`/v1/jobs/${job.id}/trigger`, {});
      await world.runUntilIdle();
      while (await world.tick("publish-webhooks"));
      expect((await published()).map(({ data }) => (data as { id: string }).id)).toContain(run.id);
      await until("the event of the stream", 20_000, () =>
        stream.events.some(({ data }) => data?.id === run.id && data.object.status === "completed"),
      );
      while (await world.tick("sum-changes"));
      expect((await project.api.get("/v1/usage/current")).body.runs.completed).toBe(round);
      const before = scanned;
      // A scan that meets a transaction which still writes to the inbox leaves it to the next one.
      const hasMoved = async () => {
        scanned = await scannedAfter();
        return scanned > before;
      };
      if (round > 1) await until("the start of the scan to move", 20_000, hasMoved);
    }
    stream.close();
  });
});
