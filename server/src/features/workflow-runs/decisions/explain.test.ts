import { beforeAll, describe, expect, it } from "vitest";
import { workflowBench } from "../../../../test/costs/workflow-bench.ts";
import { readStream } from "../../../../test/outside/read-stream.ts";
import { seedWorkflowRun } from "../../../../test/seed/seed-workflow-run.ts";
import { runSql } from "../../../../test/world/database.ts";
import { makeFlowWorld } from "../../../../test/world/flow-world.ts";
import type { TestProject, World } from "../../../../test/world/world.ts";
import { recordDecisions } from "../../../flow/workflows/workflow-run-changes.ts";
import { sql } from "../../../platform/database/sql.ts";
import { inTransaction } from "../../../platform/database/transaction.ts";
import { newId } from "../../../platform/ids.ts";

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeFlowWorld();
  project = await world.project();
});

type Decision = {
  step_ref: string | null;
  decision_type: "start" | "condition" | "hold" | "end";
  reason: string;
  detail?: object;
};

const decision = (step_ref: string | null, decision_type: Decision["decision_type"] = "start"): Decision => ({
  step_ref,
  decision_type,
  reason: `${decision_type} of ${step_ref}`,
});

async function decide(workflow_run_id: string, ...decisions: Decision[]): Promise<void> {
  const key = { project_id: project.id, workflow_run_id };
  await inTransaction(world.ctx, (tx) => recordDecisions(tx, key, decisions));
  world.ctx.wakeup.wake("workflow-run", `${project.id}:${workflow_run_id}`);
}

/** Ends the run with its last decision, in one transaction. */
async function end(id: string): Promise<void> {
  await inTransaction(world.ctx, async (tx) => {
    await sql`
      update workflow_runs set prev_status = status, status = 'completed', finished_at = clock()
      where project_id = ${project.id} and id = ${id}`.execute(tx.db);
    await recordDecisions(tx, { project_id: project.id, workflow_run_id: id }, [decision(null, "end")]);
  });
  world.ctx.wakeup.wake("workflow-run", `${project.id}:${id}`);
}

async function explained(...decisions: Decision[]): Promise<string> {
  const id = await seedWorkflowRun(world.connection, project.id);
  if (decisions.length > 0) await decide(id, ...decisions);
  return id;
}

const pathOf = (id: string, query = "") => `/v1/workflow-runs/${id}/explain${query}`;
const ordinals = (rows: { ordinal: number }[]) => rows.map(({ ordinal }) => ordinal);
const counted = (count: number) => Array.from({ length: count }, (_, n) => n + 1);

describe("GET /v1/workflow-runs/{workflowRunID}/explain", () => {
  it("identifies the decider among two keys with the same name, and has none if the workflow decided", async () => {
    const bench = await workflowBench(world, project);
    const { run } = await bench.run(await bench.save([{ step_ref: "a" }, { step_ref: "ok", type: "approval" }]));
    const [one, two] = [await project.newKey({ name: "twin" }), await project.newKey({ name: "twin" })];
    const at = `/v1/workflow-runs/${run.id}`;
    const acts = [
      [one, "/pause", "pause"],
      [two, "/resume", "resume"],
      [one, "/steps/a/retry", "retry"],
      [two, "/steps/ok/skip", "skip"],
      [one, "/steps/ok/replay-subtree", "retry"],
      [two, "/cancel", "cancel"],
    ] as const;
    for (const [{ api }, path] of acts) expect((await api.post(`${at}${path}`, {})).status, path).toBe(200);
    const { data } = (await project.api.get(pathOf(run.id, "?limit=100"))).body;
    const decided = data.filter(({ decided_by }: { decided_by: string | null }) => decided_by === "twin");
    const seen = decided.map((each: { decision_type: string; decided_by_id: string }) => [
      each.decision_type,
      each.decided_by_id,
    ]);
    const wanted = acts.map(([{ id }, , decision_type]) => [decision_type, id]);
    expect(seen).toEqual([...wanted, ["cancel", two.id], ["end", two.id]]);
    const start = data.find((each: { decision_type: string }) => each.decision_type === "start");
    expect(start).toMatchObject({ decided_by: null, decided_by_id: null });
    expect((await project.api.get(at)).body.error).toEqual({
      ...{ code: "canceled", message: "Canceled by twin.", by_id: two.id },
    });
  });

  it("W12 lists every decision with its reason, oldest first", async () => {
    const id = await explained(
      { step_ref: "a", decision_type: "condition", reason: "condition `true` is true", detail: { value: true } },
      decision("a"),
    );
    await end(id);
    const { status, body } = await project.api.get(pathOf(id));
    expect([status, body.has_more, ordinals(body.data)]).toEqual([200, false, [1, 2, 3]]);
    expect(body.data[0]).toEqual({
      workflow_run_id: id,
      ordinal: 1,
      step_ref: "a",
      decision_type: "condition",
      reason: "condition `true` is true",
      detail: { value: true },
      decided_by: null,
      decided_by_id: null,
      created_at: expect.any(String),
    });
    expect(body.data[2]).toMatchObject({ step_ref: null, decision_type: "end", detail: null });
  });

  it("W12 explains what blocks a run that has not started: its start time, or max_concurrent_runs", async () => {
    const tenant = await world.project();
    const bench = await workflowBench(world, tenant);
    const wait = { step_ref: "w", type: "wait_for_event", event_key: "w:{{payload.n}}" };
    const workflow = await bench.save([wait], { max_concurrent_runs: 1 });
    const first = await bench.start(workflow, { payload: { n: 1 } });
    await world.runUntilIdle();
    const held = await bench.start(workflow, { payload: { n: 2 } });
    await world.runUntilIdle();
    const decisionsOf = async (id: string) =>
      (await tenant.api.get(pathOf(id))).body.data.map((each: Decision) => [
        each.step_ref,
        each.decision_type,
        each.reason,
      ]);
    const slot = "max_concurrent_runs (1) is reached: it starts when a run of the workflow ends";
    expect(await decisionsOf(held)).toEqual([[null, "hold", slot]]);
    await tenant.api.post(`/v1/workflow-runs/${first}/cancel`);
    await world.runUntilIdle();
    expect((await decisionsOf(held)).map(([, type]: string[]) => type)).toEqual(["hold", "wait"]);
    expect((await bench.read(held)).run.status).toBe("running");

    const free = await bench.save([wait]);
    const [later, at] = [
      await bench.start(free, { delay_secs: 60, payload: { n: 3 } }),
      await bench.start(free, { scheduled_at: "2099-01-01T00:00:00.000Z", payload: { n: 4 } }),
    ];
    expect(await decisionsOf(later)).toEqual([[null, "hold", "it starts 60 s after it was triggered"]]);
    expect(await decisionsOf(at)).toEqual([[null, "hold", "it is not due before 2099-01-01T00:00:00.000Z"]]);
  });

  it("W12 has a reason for each step that is canceled with its run, in order before the end", async () => {
    const tenant = await world.project();
    const bench = await workflowBench(world, tenant);
    bench.onDispatch("f", () => ({ status: 400, body: {} }));
    const steps = [
      { step_ref: "s", type: "sleep", sleep_duration: "1h" },
      { step_ref: "f", on_failure: "fail_workflow" },
      { step_ref: "after", depends_on: ["f"] },
    ];
    const workflow = await bench.save(steps);
    const failed = (await bench.run(workflow)).run;
    const canceled = await bench.start(await bench.save(steps.slice(0, 1)));
    await world.runUntilIdle();
    await tenant.api.post(`/v1/workflow-runs/${canceled}/cancel`, { reason: "not needed" });
    const decisionsOf = async (id: string) => {
      const { body } = await tenant.api.get(pathOf(id));
      expect(ordinals(body.data)).toEqual(counted(body.data.length));
      return body.data.slice(-3).map((each: Decision) => [each.step_ref, each.decision_type, each.reason]);
    };
    expect(await decisionsOf(failed.id)).toEqual([
      ["s", "cancel", failed.error.message],
      ["after", "cancel", failed.error.message],
      [null, "end", failed.error.message],
    ]);
    expect((await decisionsOf(canceled)).slice(-2)).toEqual([
      ["s", "cancel", expect.stringContaining("not needed")],
      [null, "end", expect.stringContaining("not needed")],
    ]);
  });

  it("W12 records a condition once, even for a wait whose key must be locked first", async () => {
    const tenant = await world.project();
    const bench = await workflowBench(world, tenant);
    const wait = { step_ref: "w", type: "wait_for_event", event_key: "{{payload.k}}", condition: "payload.go" };
    const { run } = await bench.run(await bench.save([wait]), { payload: { k: "key", go: true } });
    const { body } = await tenant.api.get(pathOf(run.id, "?step_ref=w"));
    expect(body.data.map(({ decision_type }: Decision) => decision_type)).toEqual(["condition", "wait"]);
  });

  it("W12 filters by step_ref and decision_type", async () => {
    const id = await explained(decision("a"), decision("b"), decision("b", "hold"), decision("a", "hold"));
    const found = async (query: string) => ordinals((await project.api.get(pathOf(id, query))).body.data);
    expect(await found("?step_ref=a")).toEqual([1, 4]);
    expect(await found("?decision_type=hold")).toEqual([3, 4]);
    expect(await found("?step_ref=b&decision_type=hold")).toEqual([3]);
    const unknown = await project.api.get(pathOf(id, "?step_ref=unheard-of"));
    expect([unknown.status, unknown.body.errors]).toEqual([
      422,
      [{ location: "query.step_ref", message: "is not a step of this workflow run", value: "unheard-of" }],
    ]);
    expect((await project.api.get(pathOf(id, "?decision_type=guess"))).status).toBe(422);
    expect((await project.api.get(pathOf(id, "?step=a"))).status).toBe(422);
  });

  it("O6 paginates both ways, over many days", async () => {
    await world.clock.set("2031-03-01T12:00:00Z");
    const id = await explained(...counted(40).map(() => decision("a")));
    await world.tick("keep-decision-partitions");
    await world.clock.set("2031-03-03T12:00:00Z");
    await decide(id, ...counted(40).map(() => decision("b")));
    for (const order of ["asc", "desc"]) {
      const shown: number[] = [];
      for (let cursor: string | null = ""; cursor !== null; ) {
        const query: string = `?order=${order}&limit=17${cursor && `&cursor=${cursor}`}`;
        const { body } = await project.api.get(pathOf(id, query));
        shown.push(...ordinals(body.data));
        cursor = body.next_cursor;
      }
      expect(shown).toEqual(order === "asc" ? counted(80) : counted(80).toReversed());
    }
    const other = await explained(decision("a"), decision("b"));
    const { next_cursor } = (await project.api.get(pathOf(other, "?limit=1"))).body;
    const strange = await project.api.get(pathOf(id, `?limit=1&cursor=${next_cursor}`));
    expect([strange.status, strange.body.code]).toEqual([400, "invalid_cursor"]);
  });

  it("404 for an unknown run or another project's, whatever the Accept header", async () => {
    const id = await explained(decision("a"));
    const { api } = await world.project();
    for (const accept of ["application/json", "application/x-ndjson", "text/event-stream"]) {
      const headers = { accept };
      expect((await project.api.get(pathOf(newId()), { headers })).status).toBe(404);
      expect((await api.get(pathOf(id), { headers })).status).toBe(404);
    }
    const without = await project.newKey({ scopes: ["runs:read"] });
    expect((await without.api.get(pathOf(id))).status).toBe(403);
  });
});

describe("explain as application/x-ndjson", () => {
  const headers = { accept: "application/x-ndjson" };

  async function lines(path: string) {
    const response = await fetch(`${world.url}${path}`, {
      headers: { ...headers, authorization: `Bearer ${project.key}` },
    });
    const text = await response.text();
    expect(text.endsWith("}\n")).toBe(true);
    const rows = text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    return { status: response.status, type: response.headers.get("content-type"), rows };
  }

  it("W12 sends all decisions as lines, more than a page, with the filters", async () => {
    const id = await explained(...counted(450).map((n) => decision(n % 3 === 0 ? "b" : "a")));
    const all = await lines(pathOf(id));
    expect([all.status, all.type]).toEqual([200, "application/x-ndjson"]);
    expect(ordinals(all.rows)).toEqual(counted(450));
    expect((await lines(pathOf(id, "?step_ref=b"))).rows).toHaveLength(150);
  });

  it("is empty without decisions, and HEAD has no body", async () => {
    const id = await explained();
    expect(await project.api.get(pathOf(id), { headers })).toMatchObject({ status: 200, text: "" });
    expect(await project.api.send("HEAD", pathOf(id), undefined, { headers })).toMatchObject({ status: 200, text: "" });
  });

  it.each(["cursor=x", "order=desc"])("rejects %s, which applies only to paged responses", async (query) => {
    const id = await explained();
    const { status, body } = await project.api.get(pathOf(id, `?${query}`), { headers });
    expect([status, body.errors?.[0]?.location]).toEqual([422, `query.${query.split("=")[0]}`]);
  });
});

describe("explain as text/event-stream", () => {
  const follow = (id: string, query = "", url = world.url) =>
    readStream(url, pathOf(id, query), { authorization: `Bearer ${project.key}` });
  const seen = (stream: Awaited<ReturnType<typeof follow>>) =>
    stream.events.filter(({ event }) => event === "decision").map(({ data }) => data.ordinal);

  it("W12 sends past decisions, then live ones, and closes when the run has ended", async () => {
    const id = await explained(decision("a"), decision("b"));
    const stream = await follow(id);
    expect([stream.status, stream.headers["content-type"]]).toEqual([200, "text/event-stream"]);
    await stream.next("decision", ({ ordinal }) => ordinal === 2);
    await decide(id, decision("b", "hold"));
    await stream.next("decision", ({ ordinal }) => ordinal === 3);
    expect(stream.hasEnded()).toBe(false);
    await end(id);
    await stream.ended();
    expect(seen(stream)).toEqual([1, 2, 3, 4]);
    expect(stream.events.at(-1)?.data).toMatchObject({ decision_type: "end", workflow_run_id: id });
  });

  it("sends all decisions of an ended run and closes", async () => {
    const id = await explained(...counted(30).map(() => decision("a")));
    await end(id);
    const stream = await follow(id);
    await stream.ended();
    expect(seen(stream)).toEqual(counted(31));
  });

  it("applies the filters, and still detects the end", async () => {
    const id = await explained(decision("a"), decision("b"));
    const stream = await follow(id, "?step_ref=b");
    await stream.next("decision");
    await decide(id, decision("a"), decision("b"));
    await stream.next("decision", ({ ordinal }) => ordinal === 4);
    await end(id);
    await stream.ended();
    expect(seen(stream)).toEqual([2, 4]);
  });

  it("sends megabytes of past decisions at its client's pace, without closing the connection", async () => {
    // Two hundred of them, which are read at once, are longer than what a stream may leave unsent.
    const many = counted(2_000).map(() => ({ ...decision("a"), reason: "x".repeat(8_000) }));
    const id = await explained(...many);
    await end(id);
    const slow = new AbortController();
    const response = await fetch(`${world.url}${pathOf(id)}`, {
      headers: { accept: "text/event-stream", authorization: `Bearer ${project.key}` },
      signal: slow.signal,
    });
    // The client does not read while everything could have been sent.
    for (let n = 0; n < 50; n++) await project.api.get("/v1/jobs?limit=1");
    const text = await response.text();
    expect(text.match(/^event: decision$/gm)).toHaveLength(2_001);
    slow.abort();
  });

  it("loses and repeats none while decisions are added, on another instance too", async () => {
    const id = await explained(decision("a"));
    const other = await world.anotherInstance();
    const streams = [await follow(id), await follow(id, "", other.url), await follow(id)];
    for (let n = 0; n < 40; n++) await decide(id, decision("a"), decision("b"));
    await end(id);
    for (const stream of streams) {
      await stream.ended();
      expect(seen(stream)).toEqual(counted(82));
    }
  });

  it("A5 accepts ?token= instead of the header", async () => {
    const id = await explained(decision("a"));
    const stream = await readStream(world.url, pathOf(id, `?token=${project.key}`));
    await stream.next("decision");
    stream.close();
  });
});

describe("keep-decision-partitions", () => {
  const partitions = async () => {
    const rows = await runSql<{ name: string }>(
      world.connection,
      "select inhrelid::regclass::text as name from pg_inherits where inhparent = 'workflow_decisions'::regclass order by 1",
    );
    return rows.map(({ name }) => name);
  };

  it("creates those of the next days, and drops decisions a whole day after WORKFLOW_RUN_RETENTION", async () => {
    await world.clock.set("2040-01-01T12:00:00Z");
    await world.tick("keep-decision-partitions");
    expect(await partitions()).toEqual(
      expect.arrayContaining(["01", "02", "03", "04"].map((day) => `workflow_decisions_204001${day}`)),
    );
    const id = await explained(decision("a"));
    await world.clock.set("2040-03-31T23:59:59Z");
    await world.tick("keep-decision-partitions");
    expect((await project.api.get(pathOf(id))).body.data).toHaveLength(1);
    await world.clock.set("2040-04-01T00:00:00Z");
    expect(await world.tick("keep-decision-partitions")).toBe(false);
    expect(await partitions()).not.toContain("workflow_decisions_20400101");
    expect((await project.api.get(pathOf(id))).body.data).toEqual([]);
  });
});
