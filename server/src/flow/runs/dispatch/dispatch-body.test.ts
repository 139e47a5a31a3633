import { describe, expect, it } from "vitest";
import type { ClaimedRun } from "../claim/claimed-run.ts";
import { dispatchBody } from "./dispatch-run.ts";

const RUN: ClaimedRun = {
  project_id: "0190b2f0-0000-7000-8000-00000000000a",
  run_id: "0190b2f0-0000-7000-8000-00000000000b",
  job_id: "0190b2f0-0000-7000-8000-00000000000c",
  job_slug: "charge-a-card",
  job_version_id: "0190b2f0-0000-7000-8000-00000000000d",
  environment_id: "0190b2f0-0000-7000-8000-00000000000e",
  host: "jobs.example.com",
  attempt: 3,
  tries_used: 1,
  crash_count: 0,
  max_attempts: 5,
  timeout_secs: 300,
  payload: '{"order": 7}',
  metadata: '{"source": "shop"}',
  tags: '{"eu": "true"}',
  checkpoint: null,
  state: null,
  scheduled_at: "2030-01-01T00:00:00.000Z",
  deadline: "2030-01-01T00:05:00.000Z",
  workflow_run_id: null,
  step_ref: null,
  parent_outputs: null,
  waits: 0,
  traceparent: null,
  lease_token: "0190b2f0-0000-7000-8000-00000000000f",
  slots: null,
};
const bodyOf = (run: Partial<ClaimedRun>, env = "{}") => JSON.parse(dispatchBody({ ...RUN, ...run }, env));

describe("the body of a dispatch", () => {
  it("R1 has every field of the protocol", () => {
    expect(bodyOf({}, '{"MODE":"live"}')).toEqual({
      run_id: RUN.run_id,
      job_id: RUN.job_id,
      job_slug: "charge-a-card",
      job_version_id: RUN.job_version_id,
      project_id: RUN.project_id,
      attempt: 3,
      max_attempts: 5,
      tries_used: 1,
      payload: { order: 7 },
      metadata: { source: "shop" },
      tags: { eu: "true" },
      checkpoint: null,
      state: null,
      waits: [],
      env: { MODE: "live" },
      scheduled_at: RUN.scheduled_at,
      deadline: RUN.deadline,
    });
  });

  it("R1 does not contain the lease token, which would give control of the run", () => {
    expect(dispatchBody(RUN, "{}")).not.toContain(RUN.lease_token);
  });

  it("R1 passes JSON through as stored, to the last digit", () => {
    const payload = '{"n": 12345678901234567890.000000000000000001, "s": "\\u00e9\\"\\\\"}';
    expect(dispatchBody({ ...RUN, payload }, "{}")).toContain(`"payload":${payload},`);
  });

  it.each(['"text"', "5", "false", "null", "[]"])("R1 has a payload that is not an object: %s", (payload) => {
    expect(bodyOf({ payload }).payload).toEqual(JSON.parse(payload));
  });

  it("R1 has as checkpoint the event that resumed the run, else the state it saved, else null", () => {
    expect(bodyOf({ checkpoint: '{"event":1}', state: "2" })).toMatchObject({ checkpoint: { event: 1 }, state: 2 });
    expect(bodyOf({ state: '{"saved":2}' })).toMatchObject({ checkpoint: { saved: 2 }, state: { saved: 2 } });
    expect(bodyOf({ checkpoint: "null", state: "2" })).toMatchObject({ checkpoint: null, state: 2 });
    expect(bodyOf({})).toMatchObject({ checkpoint: null, state: null });
  });

  it("R1 names the workflow run, the step and the parent outputs for a step's run, and for no other", () => {
    const step_ref = 'charge["a b"]\\';
    const workflow_run_id = "0190b2f0-0000-7000-8000-000000000010";
    const parent_outputs = '{"reserve": {"id": 7}}';
    expect(bodyOf({ workflow_run_id, step_ref, parent_outputs })).toMatchObject({
      workflow_run_id,
      step_ref,
      parent_outputs: { reserve: { id: 7 } },
    });
    for (const field of ["workflow_run_id", "parent_outputs"]) expect(Object.keys(bodyOf({}))).not.toContain(field);
  });

  it("R1 has the ended waits of the run", () => {
    expect(JSON.parse(dispatchBody(RUN, "{}", '[{"event_key":"paid","ordinal":1}]')).waits).toEqual([
      { event_key: "paid", ordinal: 1 },
    ]);
  });
});
