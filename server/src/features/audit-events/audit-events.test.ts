import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { runSql } from "../../../test/world/database.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";
import { newId } from "../../platform/ids.ts";
import { readEvents } from "./queries.ts";
import { sealAudit } from "./seal-audit.ts";
import { verifyAuditEvents } from "./verify-audit-events.ts";

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeWorld();
});
beforeEach(async () => {
  project = await world.project();
});

const list = async (query = "") => (await project.api.get(`/v1/audit-events${query}`)).body;
const verify = async () => (await project.api.get("/v1/audit-events/verify")).body;
const seal = async () => {
  while (await world.tick("seal-audit"));
};
const db = (statement: string, values: unknown[] = []) => runSql(world.connection, statement, values);

/** Audit events inserted straight into the table. */
async function seed(count: number, more: { created_at?: string; action?: string } = {}): Promise<void> {
  await db(
    `insert into audit_events (project_id, id, actor_kind, actor_name, action, resource_type, resource_id, after, created_at)
     select $1, id, 'api_key', 'seeded', $3, 'thing', n::text, jsonb_build_object('n', n, 'half', n / 2.0, 'text', 'ü"\\'),
       coalesce($4::timestamptz, clock())
     from unnest($2::uuid[]) with ordinality as u(id, n)`,
    [project.id, Array.from({ length: count }, newId), more.action ?? "thing.changed", more.created_at ?? null],
  );
}

describe("GET /v1/audit-events", () => {
  it("A12 reports who changed what, before and after, from where and by which request", async () => {
    const job = (await project.api.post("/v1/jobs", { name: "Mail", endpoint_url: "https://example.com/" })).body;
    const changed = await project.api.patch(`/v1/jobs/${job.id}`, { name: "Post" });
    const { data } = await list();
    expect(data[0]).toMatchObject({
      ...{ action: "job.updated", resource_type: "job", resource_id: job.id, project_id: project.id },
      ...{
        actor_kind: "api_key",
        actor_id: project.key_id,
        ip: "127.0.0.1",
        sealed: false,
        chain_no: null,
        hash: null,
      },
      ...{ before: { name: "Mail" }, after: { name: "Post" }, request_id: changed.headers.get("x-request-id") },
    });
    await seal();
    expect((await list()).data[0]).toMatchObject({ sealed: true, hash: expect.stringMatching(/^[0-9a-f]{64}$/) });
  });

  it("A12 accepts from, to, order, limit and cursor", async () => {
    await seed(5, { created_at: "2029-01-01T00:00:00Z", action: "thing.first" });
    await seed(5, { created_at: "2029-01-02T00:00:00Z", action: "thing.second" });
    const within = "from=2029-01-01T00:00:00Z&to=2029-01-02T00:00:00Z";
    const asc = await list(`?${within}&order=asc&limit=3`);
    expect(asc.data.map(({ resource_id }: { resource_id: string }) => resource_id)).toEqual(["1", "2", "3"]);
    const next = await list(`?${within}&order=asc&limit=3&cursor=${asc.next_cursor}`);
    expect(next.data.map(({ resource_id }: { resource_id: string }) => resource_id)).toEqual(["4", "5"]);
    expect(next.has_more).toBe(false);
    expect((await list("?from=2029-01-01T00:00:00Z&to=2029-01-03T00:00:00Z")).data[0].action).toBe("thing.second");
  });

  it("filters by actor, action, kind of action, resource and request", async () => {
    await seed(2, { action: "thing.changed" });
    await seed(1, { action: "thing.deleted" });
    await seed(1, { action: "thingy.changed" });
    const count = async (query: string) => (await list(query)).data.length;
    expect(await count("?action=thing.changed")).toBe(2);
    expect(await count("?action=thing.*")).toBe(3);
    expect(await count("?actor=seeded")).toBe(4);
    expect(await count("?resource_type=thing&resource_id=2")).toBe(1);
    expect(await count("?request_id=none")).toBe(0);
    expect((await project.api.get("/v1/audit-events?from=yesterday")).status).toBe(422);
  });

  it("A2 shows nothing of another project, and nothing to a key bound to an environment", async () => {
    await seed(1);
    const other = await world.project();
    expect((await other.api.get("/v1/audit-events?action=thing.changed")).body.data).toEqual([]);
    const [environment] = (await project.api.get("/v1/environments")).body.data;
    const bound = await project.newKey({ environment_id: environment.id });
    for (const path of ["", "/verify", "/export"])
      expect((await bound.api.get(`/v1/audit-events${path}`)).status).toBe(403);
  });
});

describe("the task seal-audit", () => {
  it("links the events of each project by hash, in one chain without a gap", async () => {
    await seed(1_100); // more than one transaction seals
    await seal();
    const [chain] = await db(
      `select count(*)::int as events, max(chain_no)::int as last, count(distinct hash)::int as hashes
       from audit_events where project_id = $1`,
      [project.id],
    );
    expect(chain).toEqual({ events: chain?.last, last: chain?.events, hashes: chain?.events });
    expect(await verify()).toMatchObject({ valid: true, checked: chain?.events, unsealed: 0, issues: [] });
  });

  it("does not fork the chain when several instances seal at once while others write", async () => {
    const instances = [world, await world.anotherInstance(), await world.anotherInstance()];
    await Promise.all([
      ...Array.from({ length: 8 }, () => seed(100)),
      ...instances.flatMap(({ ctx }) => Array.from({ length: 5 }, () => sealAudit(ctx))),
    ]);
    await seal();
    expect(await verify()).toMatchObject({ valid: true, unsealed: 0, issues: [] });
  });
});

describe("GET /v1/audit-events/verify", () => {
  beforeEach(async () => {
    await seed(20);
    await seal();
  });
  const issuesOf = async () => (await verify()).issues.map(({ kind }: { kind: string }) => kind);
  const eventAt = (chain_no: number) => `project_id = '${project.id}' and chain_no = ${chain_no}`;

  it("W7 verifies a long chain in parts, each starting where the last one ended", async () => {
    const ctx = { ...world.callerCtx(), project_id: project.id };
    const { checked, head } = await verify();
    await db(`update audit_events set action = 'x' where ${eventAt(9)}`);
    const parts = [];
    for (let after: number | null = 0; after !== null; after = parts.at(-1)?.next_after ?? null)
      parts.push(await verifyAuditEvents(ctx, { after }, 6));
    expect(parts.reduce((sum, part) => sum + part.checked, 0)).toBe(checked);
    expect(parts.map(({ checked: each }) => each).every((each) => each <= 6)).toBe(true);
    expect(parts.flatMap(({ issues }) => issues)).toMatchObject([{ kind: "edited", chain_no: 9 }]);
    expect(parts.map(({ valid }) => valid)).toEqual(parts.map((_, nth) => nth !== 1));
    expect(parts.length).toBe(Math.ceil(checked / 6));
    const beyond = await project.api.get(`/v1/audit-events/verify?after=${head.count + 1}`);
    expect([beyond.status, beyond.body.errors[0].location]).toEqual([422, "query.after"]);
    expect((await project.api.get(`/v1/audit-events/verify?after=${head.count}`)).body).toMatchObject({
      ...{ valid: true, checked: 0, next_after: null },
    });
  });

  it("W7 continues after a gap when the events of a part are missing, and does not loop", async () => {
    const ctx = { ...world.callerCtx(), project_id: project.id };
    const { head } = await verify();
    await db(`delete from audit_events where project_id = $1 and chain_no between 3 and ${head.count - 1}`, [
      project.id,
    ]);
    const first = await verifyAuditEvents(ctx, {}, 2);
    expect([first.valid, first.next_after]).toEqual([true, 2]);
    const second = await verifyAuditEvents(ctx, { after: 2 }, 2);
    expect(second).toMatchObject({ next_after: null, issues: [{ kind: "missing", chain_no: 3 }] });
  });

  it("is valid when nothing was changed", async () => {
    expect(await verify()).toMatchObject({ valid: true, issues: [], head: { project_id: project.id } });
  });

  it.each(["action = 'x'", "after = '{}'", "before = '{}'", "actor_name = 'me'", "ip = '1.1.1.1'", "request_id = 'x'"])(
    "finds an edit: %s",
    async (edit) => {
      await db(`update audit_events set ${edit} where ${eventAt(7)}`);
      expect(await verify()).toMatchObject({ valid: false, issues: [{ kind: "edited", chain_no: 7 }] });
    },
  );

  it("finds an edited time", async () => {
    await db(`update audit_events set created_at = created_at + interval '1 millisecond' where ${eventAt(7)}`);
    expect(await issuesOf()).toEqual(["edited"]);
  });

  it("finds a deletion", async () => {
    await db(`delete from audit_events where ${eventAt(7)}`);
    expect(await issuesOf()).toEqual(["missing"]);
  });

  it("finds an inserted event with the later ones renumbered", async () => {
    await db(`update audit_events set chain_no = chain_no + 1000 where project_id = $1 and chain_no > 7`, [project.id]);
    await db(
      `insert into audit_events select project_id, gen_random_uuid(), actor_kind, actor_id, actor_name, 'forged',
         resource_type, resource_id, before, after, ip, user_agent, request_id, created_at, 8, hash
       from audit_events where ${eventAt(7)}`,
    );
    await db(`update audit_events set chain_no = chain_no - 999 where project_id = $1 and chain_no > 1000`, [
      project.id,
    ]);
    expect(await issuesOf()).toContain("edited");
  });

  it("finds two swapped events", async () => {
    await db(`update audit_events set chain_no = 9999 where ${eventAt(7)}`);
    await db(`update audit_events set chain_no = 7 where ${eventAt(8)}`);
    await db(`update audit_events set chain_no = 8 where ${eventAt(9999)}`);
    expect(await issuesOf()).toContain("edited");
  });

  it("finds a truncated chain", async () => {
    await db(`delete from audit_events where project_id = $1 and chain_no > 15`, [project.id]);
    expect(await issuesOf()).toEqual(["cut_off"]);
  });

  it("finds a chain that was truncated together with its count", async () => {
    await db(`delete from audit_events where project_id = $1 and chain_no > 15`, [project.id]);
    await db(
      `update audit_heads h set count = 15, hash = e.hash from audit_events e
       where h.project_id = $1 and e.project_id = $1 and e.chain_no = 15`,
      [project.id],
    );
    expect(await issuesOf()).toEqual(["head_forged"]);
  });

  it("finds a chain recomputed after an edit: its end is not the signed one", async () => {
    await db(`update audit_events set action = 'x', hash = sha256('x') where ${eventAt(20)}`);
    expect((await verify()).valid).toBe(false);
  });
});

describe("retention", () => {
  it("removes the oldest events and leaves a verifiable chain", async () => {
    await seed(30, { created_at: "2020-01-01T00:00:00Z" });
    await seal();
    await seed(10);
    await seal();
    while (await world.tick("remove-old-rows"));
    const { valid, checked, head } = await verify();
    expect(valid).toBe(true);
    expect(head.start_no).toBeGreaterThanOrEqual(30);
    expect(checked).toBe(head.count - head.start_no);
    expect((await list("?to=2021-01-01T00:00:00Z")).data).toEqual([]);
  });

  it("does not hide a deletion", async () => {
    await seed(30, { created_at: "2020-01-01T00:00:00Z" });
    await seal();
    const { count } = (await verify()).head;
    await db("delete from audit_events where project_id = $1 and chain_no < $2", [project.id, count - 5]);
    expect((await verify()).valid).toBe(false);
    await db("update audit_heads set start_no = $2 where project_id = $1", [project.id, count - 6]);
    expect((await verify()).issues[0].kind).toBe("start_forged");
  });
});

describe("GET /v1/audit-events/export", () => {
  const exported = (query = "") => project.api.get(`/v1/audit-events/export${query}`);

  it("streams all events as lines, and the signed head", async () => {
    await seed(1_045); // more than a page
    await seal();
    const response = await exported();
    expect(response.headers.get("content-type")).toBe("application/x-ndjson");
    const lines = response.text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines.at(-1).head.count).toBe(lines.length - 1);
    expect(lines.filter(({ action }) => action === "thing.changed")).toHaveLength(1_045);
  });

  it("has at most a hundred events in memory, each of which may have two megabytes", async () => {
    await seed(250);
    const ctx = { ...world.callerCtx(), project_id: project.id };
    const pages: number[] = [];
    for await (const { length } of readEvents(ctx, { action: "thing.changed" })) pages.push(length);
    expect(pages).toEqual([100, 100, 50]);
  });

  it("keeps CSV cell contents within their cells, and neutralizes formulas for spreadsheets", async () => {
    await db(
      `insert into audit_events (project_id, id, actor_kind, actor_name, action, resource_type, resource_id, created_at)
       values ($1, gen_random_uuid(), 'api_key', '=HYPERLINK("http://x")', 'thing.changed', 'thing', E'a,"b"\\nc', clock())`,
      [project.id],
    );
    const { text } = await exported("?format=csv&action=thing.changed");
    expect(text.split("\r\n")[0]).toMatch(/^created_at,id,actor_kind,/);
    expect(text).toContain(`"'=HYPERLINK(""http://x"")"`);
    expect(text).toContain(`"a,""b""\nc"`);
  });

  it("can be verified offline, which finds changes in it", async () => {
    await seed(50);
    await seal();
    const { text } = await exported();
    const { public_key } = (await verify()).head;
    expect(check(text, public_key)).toMatchObject({
      status: 0,
      stdout: expect.stringContaining("are unchanged"),
    });
    const lines = text.trimEnd().split("\n");
    const tampered = [
      text.replace('"n":7', '"n":8'),
      [...lines.slice(0, 9), ...lines.slice(10)].join("\n"),
      [...lines.slice(0, -3), lines.at(-1)].join("\n"),
    ];
    for (const each of tampered) expect(check(each, public_key).status).toBe(1);
    expect(check(lines.slice(0, -1).join("\n"), public_key).status).toBe(2);
    const other = await world.project();
    expect(check(text, Buffer.alloc(32, 1).toString("base64")).status).not.toBe(0);
    expect(other.id).not.toBe(project.id);
  });

  function check(text: string, key: string) {
    const folder = mkdtempSync(join(tmpdir(), "audit-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, "export.ndjson");
    writeFileSync(file, text);
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [join(import.meta.dirname, "../../../../tools/verify-audit.mjs"), file, "--public-key", key],
      { encoding: "utf8", timeout: 20_000 },
    );
    return { status, stdout, stderr };
  }
});
