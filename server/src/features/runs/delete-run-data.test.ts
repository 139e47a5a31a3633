import { beforeAll, describe, expect, it } from "vitest";
import { seedRun } from "../../../test/seed/seed-run.ts";
import { runSql } from "../../../test/world/database.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";
import { newId } from "../../platform/ids.ts";

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeWorld();
  project = await world.project();
});

const SECRET = "jane@example.com";
const RECORDS = ["run_logs", "run_checkpoints", "run_outputs", "run_tool_calls"];

/** A run with the secret in every place that can hold run data. */
async function runWithSecrets(logLines = 3): Promise<string> {
  const id = await seedRun(world.connection, project.id, {
    status: "failed",
    payload: { email: SECRET },
    result: [SECRET],
    error: { code: "http_400", message: `no such user: ${SECRET}` },
    tags: { kept: "yes" },
  });
  const statements = [
    `update runs set state = to_jsonb($3::text), checkpoint = to_jsonb($3::text), dedup_hash = 'x',
       progress = jsonb_build_object('percent', 5, 'message', $3::text, 'updated_at', clock())
     where project_id = $1 and id = $2`,
    `update run_transitions set detail = jsonb_build_object('http_status', 400, 'error',
       jsonb_build_object('code', 'http_400', 'message', $3::text)) where project_id = $1 and run_id = $2 and ordinal = 2`,
    `insert into run_logs (project_id, run_id, id, job_id, attempt, level, message, logged_at, created_at)
     select $1, $2, gen_random_uuid(), $1, 1, 'info', $3, clock(), clock() from generate_series(1, ${logLines})`,
    `insert into run_checkpoints (project_id, run_id, id, attempt, state, created_at)
     values ($1, $2, gen_random_uuid(), 1, to_jsonb($3::text), clock())`,
    `insert into run_outputs (project_id, run_id, id, attempt, name, value, created_at)
     values ($1, $2, gen_random_uuid(), 1, 'o', to_jsonb($3::text), clock())`,
    `insert into run_tool_calls (project_id, run_id, id, attempt, name, status, input, created_at)
     values ($1, $2, gen_random_uuid(), 1, 't', 'completed', to_jsonb($3::text), clock())`,
  ];
  for (const statement of statements) await runSql(world.connection, statement, [project.id, id, SECRET]);
  return id;
}

/** Every row that belongs to a run, as text. */
async function writtenOf(id: string): Promise<string> {
  const tables = ["run_history", "run_usage", ...RECORDS];
  const parts = tables.map((table) => `select to_jsonb(t)::text as row from ${table} t where run_id = $1`);
  const rows = await runSql(
    world.connection,
    `select to_jsonb(r)::text as row from runs r where id = $1 union all ${parts.join(" union all ")}
     union all select to_jsonb(a)::text from audit_events a where resource_id = $1::text`,
    [id],
  );
  return JSON.stringify(rows);
}

describe("DELETE /v1/runs/{runID}/data", () => {
  it("removes all input, records and output of the run; the run itself stays", async () => {
    const id = await runWithSecrets();
    expect(await writtenOf(id)).toContain(SECRET);
    const before = (await project.api.get(`/v1/runs/${id}`)).body;
    expect((await project.api.delete(`/v1/runs/${id}/data`)).status).toBe(204);
    expect(await writtenOf(id)).not.toContain(SECRET);
    const after = (await project.api.get(`/v1/runs/${id}`)).body;
    expect(after).toEqual({
      ...before,
      payload: {},
      result: null,
      error: { code: "http_400", message: "[deleted]" },
      progress: null,
      updated_at: after.updated_at,
    });
    const [attempt] = (await project.api.get(`/v1/runs/${id}/transitions?order=desc`)).body.data;
    expect(attempt.detail).toEqual({ http_status: 400, error: { code: "http_400", message: "[deleted]" } });
  });

  it("leaves other runs alone, and is audited", async () => {
    const [gone, kept] = [await runWithSecrets(), await runWithSecrets()];
    const before = await writtenOf(kept);
    await project.api.delete(`/v1/runs/${gone}/data`);
    expect(await writtenOf(kept)).toBe(before);
    const [event] = await runSql(world.connection, "select * from audit_events where resource_id = $1", [gone]);
    expect(event).toMatchObject({ action: "run.data_deleted", before: null, after: null });
  });

  it("deletes many log lines in pages, and can be repeated", async () => {
    const id = await runWithSecrets(2_300);
    for (let n = 0; n < 2; n++) expect((await project.api.delete(`/v1/runs/${id}/data`)).status).toBe(204);
    expect(await writtenOf(id)).not.toContain(SECRET);
  });

  it("404 for an unknown run", async () => {
    expect((await project.api.delete(`/v1/runs/${newId()}/data`)).status).toBe(404);
  });
});
