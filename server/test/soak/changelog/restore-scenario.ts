import { setTimeout as pause } from "node:timers/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { changesAreLogged } from "../../harness/check/changes.ts";
import { changesAreAudited, usageIsCounted } from "../../harness/check/records.ts";
import type { History } from "../../harness/history.ts";
import { type Instances, startInstances } from "../../harness/instances.ts";
import { hasEnded, loadHistory, ofProject } from "../../harness/load-history.ts";
import { type Harness, openHarness } from "../../harness/open-harness.ts";
import { SECRETS } from "../../service/start-service.ts";
import { makeClient } from "../../world/client.ts";
import { runSql, type TestConnection } from "../../world/database.ts";
import { scenarioSize } from "../../world/size.ts";
import { until } from "../../world/until.ts";
import { checkPositions, checkSums, nameOf, outOfOrder, readTransitions, untilConsumed } from "./check-changelog.ts";
import { type FollowedRuns, followRuns } from "./follow-runs.ts";
import { makeSubject, type Subject, startLoad } from "./load.ts";

/** How a database gets into a new cluster. */
export type Restore = {
  /** The database of the old service; by default one of the test run's server. */
  source?: TestConnection;
  target: TestConnection;
  /** Dumps and restores. `whenSnapshot` is called once the snapshot of the dump is taken, with the rows still to be read. */
  copy: (source: TestConnection, target: TestConnection, whenSnapshot: () => Promise<unknown>) => Promise<number>;
};

const BEFORE = scenarioSize({ quick: 20, usual: 120, whole: 1_000 });
const EVERY_MS = 40;
const WITHIN_MS = 90_000;

let harness: Harness;
let subject: Subject;
let target: TestConnection;
let restored: Instances;
/** Streams of the old database: one that stopped before the dump, and one that read on after it. */
let early: FollowedRuns;
let late: FollowedRuns;
let delivered: Set<string>;
let restoredAt = 0;

/** Dumps at load; the old service reads and writes on for a while, and then is gone. */
async function restore(open: () => Promise<Restore>): Promise<void> {
  const { source, copy, ...opened } = await open();
  target = opened.target;
  harness = await openHarness({ name: "changelog restore", instances: 2, ...(source && { connection: source }) });
  const { instances, connection, random } = harness;
  subject = await makeSubject(harness);
  const { project_id } = subject.project;
  early = await followRuns(instances.urls, project_id);
  late = await followRuns(instances.urls, project_id);
  const load = startLoad(subject, random, { everyMs: EVERY_MS, keys: "before" });
  await until("some triggers", WITHIN_MS, () => load.triggered() >= BEFORE);
  await until("events at the streams", WITHIN_MS, () => early.received.length > 0 && late.received.length > 0);
  await early.stop();
  const rows = await copy(connection, target, async () => {
    const read = late.received.length;
    await until("the old stream to read on", WITHIN_MS, () => late.received.length > read + 20);
  });
  await load.stop();
  await late.stop();
  await Promise.all([instances.kill(0), instances.kill(1)]);
  const [at] = await runSql<{ inbox: number; position: number; xid: string }>(
    target,
    `select (select count(*)::int from changelog_inbox) as inbox, position::int, pg_current_xact_id()::text as xid
     from changelog_head`,
  );
  const [old] = await runSql(connection, "select position::int, pg_current_xact_id()::text as xid from changelog_head");
  console.info(`${rows} rows: ${JSON.stringify({ dumped: at, old })}`);
  delivered = new Set(
    (
      await runSql<{ id: string }>(target, "select event_id as id from webhook_deliveries where status = 'delivered'")
    ).map(({ id }) => id),
  );
  restoredAt = Date.now();
  restored = await startInstances(target, { count: 2 });
}

/** Waits until everything has ended and was consumed. */
async function settle(): Promise<void> {
  await until("all to end", WITHIN_MS, () => hasEnded(target, null));
  await untilConsumed(target, harness.receiver.deliveries);
}

async function readHistory(): Promise<History> {
  const seen = { calls: [], dispatches: [], reports: [], received_deliveries: [], faults: [], timings: [] };
  return ofProject(await loadHistory(target, { ...seen, is_settled: true }), subject.project.project_id);
}

const SEARCHES = [
  ["status=completed", "status = 'completed'"],
  ["status=failed,canceled", "status in ('failed', 'canceled')"],
  ['payload_contains={"is_flaky":true}', `payload @> '{"is_flaky": true}'`],
  ["trigger_type=api", "trigger_type = 'api'"],
  ["q=is:step attempts:>1", "workflow_run_id is not null and attempt > 1"],
] as const;

const admin = () => makeClient(restored.urls()[0] ?? "", { "x-internal-secret": SECRETS.INTERNAL_SECRET });

/** The ids that all pages of a search return, oldest first. */
async function find(search: string): Promise<string[]> {
  const [, name = "", value = ""] = /^(\w+)=(.*)$/.exec(search) ?? [];
  const path = `/v1/runs?project_id=${subject.project.project_id}&order=asc&limit=100&${name}=${encodeURIComponent(value)}`;
  const ids: string[] = [];
  for (let cursor = ""; ; ) {
    const { status, body, text } = await admin().get(`${path}${cursor}`);
    if (status !== 200) throw new Error(text);
    ids.push(...body.data.map(({ id }: { id: string }) => id));
    if (!body.has_more) return ids;
    cursor = `&cursor=${encodeURIComponent(body.next_cursor)}`;
  }
}

/** The tests of a dump at load that is restored into a new cluster. */
export function describeRestore(name: string, open: () => Promise<Restore>): void {
  beforeAll(() => restore(open), 600_000);

  describe(name, () => {
    it("has every change once and in order, with positions that continue, and sums that count nothing twice", async () => {
      await settle();
      const history = await readHistory();
      expect(changesAreLogged(history)).toEqual([]);
      expect(usageIsCounted(history)).toEqual([]);
      expect(history.runs.length).toBeGreaterThan(BEFORE / 2);
      await checkPositions(target);
      await checkSums(target, subject.project.project_id);
    });

    it("has a whole audit chain, to which new events are added", async () => {
      await settle();
      const api = admin();
      const path = `project_id=${subject.project.project_id}`;
      expect(
        (await api.post(`/v1/jobs?${path}`, { name: "After", endpoint_url: harness.receiver.webhookUrl })).status,
      ).toBe(201);
      await until("the event to be sealed", WITHIN_MS, async () => {
        const [found] = await runSql(
          target,
          "select 1 from audit_events where project_id = $1 and chain_no is null limit 1",
          [subject.project.project_id],
        );
        return !found;
      });
      const { body } = await api.get(`/v1/audit-events/verify?${path}`);
      expect(body).toMatchObject({ valid: true, issues: [] });
      expect(changesAreAudited(await readHistory())).toEqual([]);
    });

    it("finds runs as a scan of all of them does", async () => {
      await settle();
      for (const [search, condition] of SEARCHES) {
        const rows = await runSql<{ id: string }>(
          target,
          `select id::text from runs where project_id = $1 and ${condition} order by id`,
          [subject.project.project_id],
        );
        expect(await find(search)).toEqual(rows.map(({ id }) => id));
      }
    });

    it("withholds no webhook, and repeats none that the dump has as delivered", async () => {
      await settle();
      const rows = await runSql<{ id: string; status: string; count: number }>(
        target,
        "select event_id as id, min(status) as status, count(*)::int as count from webhook_deliveries group by event_id",
      );
      expect(rows.filter(({ status, count }) => status !== "delivered" || count > 1)).toEqual([]);
      const arrived = new Set(harness.receiver.deliveries.map(({ id }) => id));
      expect(rows.filter(({ id }) => !arrived.has(id))).toEqual([]);
      const again = harness.receiver.deliveries.filter(
        ({ id, received_at }) => received_at > restoredAt && delivered.has(id),
      );
      expect(again).toEqual([]);
      const transitions = await readTransitions(target, subject.project.project_id);
      expect(rows.length).toBeGreaterThanOrEqual(transitions.length);
    });

    it("resumes a stream after an id of the old cluster: nothing is skipped, and nothing is sent twice", async () => {
      await settle();
      const resumed = await followRuns(restored.urls, subject.project.project_id, early.lastId());
      const transitions = await readTransitions(target, subject.project.project_id);
      const all = () => [...early.received, ...resumed.received];
      await until("all changes", WITHIN_MS, () => all().length >= transitions.length);
      await pause(500);
      await resumed.stop();
      expect(all().map(nameOf).toSorted()).toEqual(transitions.map(nameOf).toSorted());
      expect(outOfOrder(all())).toEqual([]);
      expect(resumed.resets()).toBe(0);
    });

    it("resets a stream that has read changes which are not in the dump, also once the log has grown past its id", async () => {
      await settle();
      await growBeyond(Number(late.lastId()?.split(".")[0]));
      const resumed = await followRuns(restored.urls, subject.project.project_id, late.lastId());
      await until("a reset", 20_000, () => resumed.resets() > 0);
      await resumed.stop();
    });
  });
}

/** The new log grows past a position of the old one. */
async function growBeyond(position: number): Promise<void> {
  await runSql(
    target,
    `insert into changelog_inbox (project_id, kind, ids, created_at)
     select $1::uuid, 'batch_operation', array[$1::uuid], clock()
     from generate_series(1, (select greatest($2::int - position::int, 0) + 10 from changelog_head))`,
    [subject.project.project_id, position],
  );
  const isPast = async () =>
    (await runSql(target, "select 1 from changelog_head where position > $1", [position])).length > 0;
  await until("the log to grow", WITHIN_MS, isPast);
}
