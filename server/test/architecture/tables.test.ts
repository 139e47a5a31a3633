import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { allRetention } from "../../src/engine/all-retention.ts";
import { serverRoot } from "../../src/platform/server-root.ts";
import { cloneDatabase, runSql, type TestConnection } from "../world/database.ts";
import { sourceFiles, testCode } from "./source-files.ts";
import { allStatements, tablesOf, tablesWrittenBy } from "./statements.ts";

/** Tables that hold no tenant data, each with its reason. All other tables are tenant tables. */
const WITHOUT_PROJECT: Record<string, string> = {
  projects: "it is the tenant; its id is the project",
  api_key_secrets: "found by the hash alone: the lookup determines the project",
  sessions: "found by the token alone; a session of the internal secret has no project",
  sign_in_attempts: "found by the state alone: the person is not known yet",
  accounts: "a person may be a member of many projects",
  scim_users: "a person may be a member of many projects",
  scim_groups: "groups belong to an identity provider; sign-in rules give them roles in projects",
  scim_group_members: "like scim_groups",
  leaders: "tasks belong to the service, not to a tenant",
  instances: "instances belong to the service",
  encryption_check: "ENCRYPTION_KEY belongs to the service",
  ip_counters: "addresses are counted before the caller is known",
  migrations: "the schema's own history",
  log_cursors: "consumers read a log for the whole service",
  invariants: "guarantees of the service; only counts",
  repairs: "counts of the service by kind",
  changelog_inbox: "changes of all projects, until they are sequenced; each names its project",
  changelog: "one order for the whole service; each change names its project",
  changelog_head: "the last position of the changelog",
};

/** Statements that read tenant tables without a project_id, each with its reason. */
const FINDS_THE_PROJECT: Record<string, string> = {
  "platform/access/credentials/key-cache.ts": "by the hash of a secret: identifies the caller",
  "platform/access/credentials/session-store.ts": "by the token of a session: identifies the caller",
  "api/gate/find-project.ts": "by an id that is unique over all projects",
  "features/alert-rules/evaluate/evaluate-rules.ts": "a task over all projects; each claim has its project",
  "features/audit-events/seal-audit.ts": "a task over all projects finds those with something to seal",
  "features/audit-events/retention.ts": "a task over all projects finds those with something to remove",
  "features/log-drains/claim-drains.ts": "a task over all projects; each claim has its project",
  "features/outbox-sources/claim-sources.ts": "a task over all projects; each claim has its project",
  "features/webhook-subscriptions/tasks.ts": "whether the service has any subscription at all",
  "features/operations/invariants/all-invariants.ts": "counts rows of the whole service for its operator",
  "platform/outbox/claim-outbox.ts": "a task over all projects reads candidates, then acts in each with guards",
};

/** Tables that a second folder writes, each with its reason. */
const SECOND_WRITERS: Record<string, string> = {
  "outbox by flow": "the statement that ends many runs also enqueues the outbox entries of each end",
  "webhook_subscriptions by platform/webhooks": "publishing counts the errors of subscription filters",
  "webhook_deliveries by platform/webhooks":
    "inserted in the transaction that publishes the event; its feature sends and removes it",
  "webhook_attempts by platform/webhooks": "responses of receivers are deleted with the data of the run they refer to",
  "audit_events by features/audit-events": "written with each change; its feature seals and removes them",
  "api_keys by platform":
    "authentication records the last use of a key in memory and writes it later; personal keys end with a membership",
  "members by platform": "rules assign roles at sign-in, and requests of a person record when they were seen",
  "queues by platform": "the default queue is inserted in the transaction that creates its project",
  "jobs by flow": "a change of a queue is a change of its jobs, in the same transaction",
  "environments by platform": "standard environments are inserted in the transaction that creates their project",
  "run_logs by flow": "reports of a run are deleted with the run or its data",
  "run_checkpoints by flow": "like run_logs",
  "run_outputs by flow": "like run_logs",
  "run_tool_calls by flow": "like run_logs",
  "run_usage by flow": "deleted with the run",
  "log_cursors by features/analytics":
    "figures without a log are recounted from a time, stored as a cursor with the others",
};

/** Statements that find rows by their position, each with its reason. */
const BY_POSITION: Record<string, string> = {
  "platform/retention/remove-old-rows.ts": "any table, whatever its key; the rows that the same statement has locked",
  "platform/database/partitions.ts": "any table, whatever its key; rows that nothing changes any more",
};

/** Tests that read stored transitions around the view, each with its reason. */
const READ_STORED_TRANSITIONS: Record<string, string> = {
  "server/src/flow/runs/run-history.test.ts": "compares the view with the transitions that are stored",
};

/** Folders of `platform` that own tables. */
const WRITING_FOLDERS = new Set(
  ["outbox", "audit", "batches", "webhooks", "changelog"].map((name) => `platform/${name}`),
);

let connection: TestConnection;
let tables: Set<string>;
beforeAll(async () => {
  connection = await cloneDatabase();
  const rows = await runSql<{ name: string }>(
    connection,
    "select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v')",
  );
  tables = new Set(rows.map((row) => row.name));
});

const tenantTables = () => new Set([...tables].filter((name) => !(name in WITHOUT_PROJECT)));

describe("the catalog", () => {
  it("contains every table that is listed as an exception", () => {
    expect(Object.keys(WITHOUT_PROJECT).filter((name) => !tables.has(name))).toEqual([]);
  });

  it("has project_id in every primary key, unique index and foreign key of a tenant table", async () => {
    expect(await keysWithoutProject(connection, tenantTables())).toEqual([]);
    expect(tenantTables().size).toBeGreaterThanOrEqual(7);
  });

  it("has no triggers, and no sequences apart from that of the changelog", async () => {
    expect(await triggersAndSequences(connection)).toEqual([]);
  });

  it("has a primary key on every table", async () => {
    const rows = await runSql<{ name: string }>(
      connection,
      `select relname as name from pg_class c where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
       and not exists (select 1 from pg_constraint where conrelid = c.oid and contype = 'p')`,
    );
    expect(rows).toEqual([]);
  });

  it("has a comment on every table and view", async () => {
    const rows = await runSql<{ name: string }>(
      connection,
      `select relname as name from pg_class c where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v')
       and relname <> 'migrations' and obj_description(oid, 'pg_class') is null`,
    );
    expect(rows).toEqual([]);
  });

  it("is checked for tenant tables whose keys lack the project, triggers and sequences", async () => {
    const broken = await cloneDatabase();
    await runSql(
      broken,
      `create table leaks (id uuid primary key, project_id uuid, name text unique);
       create sequence counting;
       create function nothing() returns trigger language plpgsql as 'begin return new; end';
       create trigger watching before insert on leaks for each row execute function nothing();`,
    );
    expect(await keysWithoutProject(broken, new Set(["leaks"]))).toHaveLength(2);
    expect(await triggersAndSequences(broken)).toEqual(["counting", "watching"]);
  });
});

describe("the statements", () => {
  it("filter by project_id wherever they touch a tenant table", () => {
    const statements = allStatements();
    const without = statements.filter(
      ({ path, text }) =>
        tablesOf(text, tenantTables()).length > 0 &&
        !/project_id|hasKeyOf\(/.test(text) &&
        !(path in FINDS_THE_PROJECT),
    );
    expect(without).toEqual([]);
    expect(statements.filter(({ text }) => tablesOf(text, tenantTables()).length > 0).length).toBeGreaterThan(20);
  });

  it("spell out table names, except where a route or a retention entry declares the table", () => {
    const declared = ["api/gate/find-project.ts", "api/gate/policy-routes.ts", "platform/retention/remove-old-rows.ts"];
    declared.push("platform/database/partitions.ts");
    const dynamic = sourceFiles().filter(({ path, text }) => text.includes("sql.id(") && !declared.includes(path));
    expect(dynamic.map((file) => file.path)).toEqual([]);
  });

  it("write each table from one folder", () => {
    const writers = new Map<string, Set<string>>();
    const add = (table: string, path: string) =>
      writers.set(table, (writers.get(table) ?? new Set()).add(folderOf(path)));
    for (const { path, text } of allStatements()) {
      for (const table of tablesWrittenBy(text, tables)) add(table, path);
    }
    for (const { path, table } of retentionTables()) add(table, path);
    const shared = [...writers].flatMap(([table, folders]) => {
      const unexplained = [...folders].filter((folder) => !(`${table} by ${folder}` in SECOND_WRITERS));
      return unexplained.length > 1 ? [`${table}: ${unexplained.join(", ")}`] : [];
    });
    expect(shared).toEqual([]);
    expect(writers.size).toBeGreaterThanOrEqual(10);
  });

  it("declare the tables of retention entries by their names", () => {
    const declared = new Set(retentionTables().map(({ table }) => table));
    const used = allRetention.flatMap((entry) => ("table" in entry ? [entry.table] : []));
    expect([...declared].toSorted()).toEqual([...new Set(used)].toSorted());
  });

  it("read transitions from run_history, which also has the derived ones", () => {
    expect(allStatements().filter(({ text }) => readsStoredTransitions(text))).toEqual([]);
    const tests = testCode().filter(({ text }) => readsStoredTransitions(text));
    expect(tests.map(({ path }) => path)).toEqual(Object.keys(READ_STORED_TRANSITIONS));
  });

  it("change rows by key: one changed since the statement began has another position", () => {
    const found = allStatements().filter(({ text }) => /\bctid\b/.test(text));
    expect([...new Set(found.map(({ path }) => path))].toSorted()).toEqual(Object.keys(BY_POSITION).toSorted());
  });

  it("use no transaction ids: a dump that is restored into a new cluster would make them meaningless", () => {
    const id = /\b(xmin|xmax|xid8?|txid_\w+|pg_current_xact_id\w*|pg_current_snapshot|pg_snapshot_\w+)\b/i;
    expect(allStatements().filter(({ text }) => id.test(text))).toEqual([]);
    const schema = readFileSync(join(serverRoot(), "schema.sql"), "utf8");
    expect(id.exec(schema)).toBeNull();
    expect(id.test("select pg_current_xact_id()")).toBe(true);
  });

  it("use no savepoints: they stall a busy server", () => {
    expect(allStatements().filter(({ text }) => /savepoint/i.test(text))).toEqual([]);
  });

  it("take the time only from clock()", () => {
    const other = allStatements().filter(({ text }) =>
      /\b(now\(\)|current_timestamp|clock_timestamp|localtime)/i.test(text),
    );
    expect(other).toEqual([]);
  });

  it("give what they log about a row the time of that row: on a distributed database their parts have different times", () => {
    const logging = allStatements().filter(({ text }) => LOGS_A_ROW.test(text));
    expect(logging.filter(({ text }) => timesOfLogs(text).some((part) => part.includes("clock()")))).toEqual([]);
    expect(new Set(logging.map(({ path }) => path)).size).toBeGreaterThanOrEqual(9);
    const own = "insert into run_transitions (run_id, ordinal, created_at) select id, 2, clock() from moved";
    expect(timesOfLogs(own)).toEqual([expect.stringContaining("clock()")]);
  });

  it("read locks without tables: on a distributed database they would be those of another server", () => {
    const both = allStatements().filter(({ text }) => /\bpg_locks\b/.test(text) && tablesOf(text, tables).length > 0);
    expect(both.map(({ path }) => path)).toEqual([]);
  });

  it("are found when they lack the project or write a table of another folder", () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: source code as text, with a template inside a template
    const text = "await sql<Row>`select ${x ? sql`a` : sql`b`} from environments where id = ${id}`.execute(db)";
    const [whole] = allStatements([{ path: "features/x/y.ts", text }]);
    expect(tablesOf(whole?.text ?? "", tables)).toEqual(["environments"]);
    expect(tablesWrittenBy("update environments e set x = 1", tables)).toEqual(["environments"]);
    expect(tablesWrittenBy("select 1 from environments for update", tables)).toEqual([]);
  });
});

/** Inserts into a log about rows that the same statement has changed: they have the ordinals or ids of these. */
const LOGS_A_ROW = /insert into (?:run_transitions|changelog_inbox) \([^)]*\b(?:ordinals?|row_ids)\b[^)]*\)/;

/** The lists of values of such inserts. */
function timesOfLogs(text: string): string[] {
  return [...text.matchAll(new RegExp(`${LOGS_A_ROW.source}([\\s\\S]*?)\\bfrom\\b`, "g"))].map(
    ([, values = ""]) => values,
  );
}

/** Deleting them is not reading: tests remove what they did not seed. */
function readsStoredTransitions(text: string): boolean {
  return /(?<!\bdelete\s+)\bfrom\s+run_transitions\b|\bjoin\s+run_transitions\b/i.test(text);
}

/** The tables of retention entries, by the file that declares them. */
function retentionTables(): { path: string; table: string }[] {
  return sourceFiles()
    .filter(({ path }) => path.endsWith("retention.ts"))
    .flatMap(({ path, text }) => [...text.matchAll(/\btable: "(\w+)"/g)].map(([, table = ""]) => ({ path, table })));
}

function folderOf(path: string): string {
  const [room = "", folder = ""] = path.split("/");
  return room === "features" || WRITING_FOLDERS.has(`${room}/${folder}`) ? `${room}/${folder}` : room;
}

async function keysWithoutProject(on: TestConnection, tenants: ReadonlySet<string>): Promise<string[]> {
  const rows = await runSql<{ table: string; key: string }>(
    on,
    `with keys as (
       select i.indrelid as relid, i.indexrelid::regclass::text as key, i.indkey::int2[] as columns
       from pg_index i where i.indisunique
       union all
       select conrelid, conname, conkey from pg_constraint where contype = 'f'
     )
     select c.relname as table, k.key from keys k join pg_class c on c.oid = k.relid
     where c.relnamespace = 'public'::regnamespace and not exists (
       select 1 from pg_attribute a
       where a.attrelid = k.relid and a.attname = 'project_id' and a.attnum = any (k.columns))
     order by 1, 2`,
  );
  return rows.filter((row) => tenants.has(row.table)).map((row) => `${row.table}: ${row.key}`);
}

/** The migration tool's own table uses a sequence; none of our keys does. */
async function triggersAndSequences(on: TestConnection): Promise<string[]> {
  const rows = await runSql<{ name: string }>(
    on,
    `select relname as name from pg_class where relkind = 'S' and relname not in ('migrations_id_seq', 'changelog_inbox_id_seq')
     union all select tgname from pg_trigger where not tgisinternal order by 1`,
  );
  return rows.map((row) => row.name);
}
