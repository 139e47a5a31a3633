import { setTimeout as pause } from "node:timers/promises";
import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { migrate } from "../../../src/platform/database/migrate.ts";
import { checkHistory } from "../../harness/check.ts";
import { startInstances } from "../../harness/instances.ts";
import { hasEnded, loadHistory } from "../../harness/load-history.ts";
import { withoutWindow } from "../../harness/lost-window.ts";
import { openHarness } from "../../harness/open-harness.ts";
import { needTools, startInstalledServer } from "../../outside/installed-postgres.ts";
import { SECRETS, useServices } from "../../service/start-service.ts";
import { makeClient } from "../../world/client.ts";
import { runSql, type TestConnection } from "../../world/database.ts";
import { scenarioSize } from "../../world/size.ts";
import { until } from "../../world/until.ts";
import { untilConsumed } from "../changelog/check-changelog.ts";
import { makeSubject, startLoad } from "../changelog/load.ts";

useServices();

const SIZE = scenarioSize({
  quick: { before: 50, everyMs: 60, afterMs: 2_000 },
  usual: { before: 400, everyMs: 40, afterMs: 5_000 },
  whole: { before: 5_000, everyMs: 20, afterMs: 20_000 },
});
const MARK = "before the mistake";
const WITHIN_MS = 120_000;

describe("point-in-time recovery: a base backup and the WAL archive of a service at load, recovered to a mark", () => {
  it("continues from the mark: no lease outlives it, the audit chain is whole, no webhook is repeated", {
    timeout: 900_000,
  }, async () => {
    const server = await startInstalledServer(await needTools(), { archives: true });
    const source = server.connection;
    await migrate(source, pino({ level: "silent" }));
    const harness = await openHarness({ name: "point-in-time recovery", instances: 2, connection: source });
    const subject = await makeSubject(harness);
    const { project_id } = subject.project;
    const load = startLoad(subject, harness.random, { everyMs: SIZE.everyMs, keys: "load" });
    await until("some triggers", WITHIN_MS, () => load.triggered() >= SIZE.before / 2);
    const recover = await server.backUp();
    await until("all triggers", WITHIN_MS, () => load.triggered() >= SIZE.before);
    const markedAt = Date.now();
    await runSql(source, "select pg_create_restore_point($1)", [MARK]);
    await pause(SIZE.afterMs);
    await load.stop();
    await Promise.all([harness.instances.kill(0), harness.instances.kill(1)]);
    await archiveAll(source);
    await server.stop();

    const startedAt = performance.now();
    const recovered = await recover(MARK);
    await recovered.start();
    const target = recovered.connection;
    await until("the end of the recovery", WITHIN_MS, async () => !(await isRecovering(target)));
    const tookMs = Math.round(performance.now() - startedAt);
    const held = await leasesOf(target);
    const delivered = new Set((await deliveredIn(target)).map(({ id }) => id));
    const [size] = await runSql<{ mb: number }>(
      target,
      "select (pg_database_size(current_database()) / 1e6)::int as mb",
    );
    const restoredAt = Date.now();
    const restored = await startInstances(target, { count: 2 });
    await until("all to end", WITHIN_MS, () => hasEnded(target, null));
    await untilConsumed(target, harness.receiver.deliveries);

    const { dispatches, reports, deliveries: received_deliveries } = harness.receiver;
    const faults = [{ at: restoredAt, held }];
    const seen = { calls: harness.client.calls, dispatches, reports, received_deliveries, faults, timings: [] };
    const whole = await loadHistory(target, { ...seen, is_settled: true });
    const history = withoutWindow(whole, markedAt, restoredAt);
    const again = received_deliveries.filter(({ id, received_at }) => received_at >= restoredAt && delivered.has(id));
    const admin = makeClient(restored.urls()[0] ?? "", { "x-internal-secret": SECRETS.INTERNAL_SECRET });
    const { body: chain } = await admin.get(`/v1/audit-events/verify?project_id=${project_id}`);
    console.info(
      `${load.triggered()} triggers, ${history.runs.length} runs as of the mark; ${size?.mb} MB recovered in ${tookMs} ms; ` +
        `${held.length} leases at the mark, all released; ${delivered.size} webhooks delivered before it, ` +
        `${received_deliveries.filter(({ received_at }) => received_at >= restoredAt).length} sent after it`,
    );
    expect(checkHistory(history)).toEqual({});
    expect(again).toEqual([]);
    expect(chain).toMatchObject({ valid: true, issues: [] });
    expect(history.runs.length).toBeGreaterThan(SIZE.before / 2);
  });
});

/** The segment that is being written, too. */
async function archiveAll(connection: TestConnection): Promise<void> {
  const [row] = await runSql<{ name: string }>(
    connection,
    "select pg_walfile_name(pg_current_wal_lsn()) as name, pg_switch_wal()",
  );
  await until("the archive", WITHIN_MS, async () => {
    const [last] = await runSql<{ name: string | null }>(
      connection,
      "select last_archived_wal as name from pg_stat_archiver",
    );
    return (last?.name ?? "") >= (row?.name ?? "");
  });
}

async function isRecovering(connection: TestConnection): Promise<boolean> {
  const [row] = await runSql<{ is_recovering: boolean }>(connection, "select pg_is_in_recovery() as is_recovering");
  return row?.is_recovering === true;
}

function deliveredIn(connection: TestConnection): Promise<{ id: string }[]> {
  return runSql(connection, "select event_id as id from webhook_deliveries where status = 'delivered'");
}

function leasesOf(connection: TestConnection): Promise<{ run_id: string; attempt: number }[]> {
  return runSql(
    connection,
    `select q.run_id, r.attempt from run_queue q join runs r on r.project_id = q.project_id and r.id = q.run_id
     where q.lease_until is not null`,
  );
}
