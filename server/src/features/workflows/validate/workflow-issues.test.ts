import { beforeAll, describe, expect, it } from "vitest";
import { makeJob, makeWorkflow, REST } from "../../../../test/seed/make-workflow.ts";
import { makeWorld, type TestProject, type World } from "../../../../test/world/world.ts";
import { newId } from "../../../platform/ids.ts";

let world: World;
let project: TestProject;
let workflow: Awaited<ReturnType<typeof makeWorkflow>>;
let job_id: string;
beforeAll(async () => {
  world = await makeWorld({ config: { private_endpoints: "refuse" } });
  project = await world.project();
  job_id = (await makeJob(project)).id;
  workflow = await makeWorkflow(project);
});

type Case = [fields: Record<string, unknown>, location: string, message: RegExp];

/** Values that a workflow may not have, at its creation and at an update alike. For steps see step-issues.test.ts. */
const ISSUES: Case[] = [
  [{ name: "" }, "body.name", /must not be empty/],
  [{ slug: "Not A Slug" }, "body.slug", /lower-case letters/],
  [{ slug: "0190a5b4-0000-7000-8000-000000000000" }, "body.slug", /look like an id/],
  [{ description: "x".repeat(2_001) }, "body.description", /at most 2000/],
  [{ environment_id: "nowhere" }, "body.environment_id", /not an environment of this project/],
  [{ environment_id: newId() }, "body.environment_id", /not an environment of this project/],
  [{ tags: { eu: 1 } }, "body.tags.eu", /string/],
  [{ enabled: null }, "body.enabled", /true or false/],
  [{ timeout_secs: 0 }, "body.timeout_secs", /at least 1/],
  [{ timeout_secs: 31_536_001 }, "body.timeout_secs", /at most 31536000/],
  [{ max_parallel_steps: 0 }, "body.max_parallel_steps", /at least 1/],
  [{ max_parallel_steps: 501 }, "body.max_parallel_steps", /at most 500/],
  [{ max_concurrent_runs: 0 }, "body.max_concurrent_runs", /at least 1/],
  [{ payload_schema: true }, "body.payload_schema", /object/],
  [{ payload_schema: { type: "strin" } }, "body.payload_schema", /schema\.type must be one of/],
  [{ cron: "61 * * * *" }, "body.cron", /not a cron expression/],
  [{ timezone: "Mars/Olympus" }, "body.timezone", /IANA/],
  [{ cron_overlap_policy: "queue" }, "body.cron_overlap_policy", /allow, skip, cancel_running/],
  [{ on_failure_job_id: "a-slug" }, "body.on_failure_job_id", /not a job of this project/],
  [{ on_failure_job_id: newId() }, "body.on_failure_job_id", /not a job of this project/],
  [{ cancel_on: [{ event_key: "a\nb" }] }, "body.cancel_on[0].event_key", /control characters/],
  [{ cancel_on: [{ event_key: ".." }] }, "body.cancel_on[0].event_key", /must not be/],
  [{ cancel_on: [{ event_key: "{{item}}" }] }, "body.cancel_on[0].event_key", /only payload/],
  [{ cancel_on: Array(11).fill({ event_key: "a" }) }, "body.cancel_on", /10/],
  [{ steps: [] }, "body.steps", /at least 1 item/],
  [{ steps: {} }, "body.steps", /a list/],
  [{ steps: [{}] }, "body.steps[0].step_ref", /required/],
  [{ steps: [{ ...REST, type: "dance" }] }, "body.steps[0].type", /job, wait_for_event, sleep, approval/],
  [{ steps: [{ ...REST, on_failure: "retry" }] }, "body.steps[0].on_failure", /fail_workflow/],
  [{ steps: [{ ...REST, depend_on: [] }] }, "body.steps[0].depend_on", /not a known name/],
  [{ steps: [{ ...REST, depends_on: "a" }] }, "body.steps[0].depends_on", /a list/],
  [{ steps: [{ ...REST, sleep_duration: 5 }] }, "body.steps[0].sleep_duration", /string/],
  [{ steps: [{ step_ref: "a", job_id: newId() }] }, "body.steps[0].job_id", /not a job of this project/],
  [{ steps: [{ step_ref: "a", job_id: "nobody" }] }, "body.steps[0].job_id", /not a job of this project/],
  [{ steps: [{ ...REST, depends_on: ["rest"] }] }, "body.steps[0].depends_on[0]", /makes a cycle: rest → rest/],
  [{ steps: [REST, { ...REST, step_ref: "b", condition: "1" }] }, "body.steps[1].condition", /true or false/],
  [
    { steps: [REST, { step_ref: "w", type: "wait_for_event", event_key: "{{env.A}}" }] },
    "body.steps[1].event_key",
    /only payload, parent_outputs/,
  ],
  [
    { steps: [{ step_ref: "w", type: "wait_for_event", event_key: "k", notify_url: "http://10.0.0.1/" }] },
    "body.steps[0].notify_url",
    /private/,
  ],
  [{ timeout: 5 }, "body.timeout", /not a known field/],
  [{ revision: 5 }, "body.revision", /not a known field/],
];

const named = ISSUES.map(([fields, location, message]): [string, ...Case] => [
  JSON.stringify(fields).slice(0, 80),
  fields,
  location,
  message,
]);

/** The issue, with its location. */
function issueAt(location: string, message: RegExp) {
  return expect.arrayContaining([expect.objectContaining({ location, message: expect.stringMatching(message) })]);
}

describe("an invalid workflow", () => {
  it.each(named)("422 at its creation, with the location: %s", async (_, fields, location, message) => {
    const response = await project.api.post("/v1/workflows", { name: "Order", steps: [REST], ...fields });
    expect([response.status, response.body.errors]).toEqual([422, issueAt(location, message)]);
  });

  it.each(named)(
    "422 at an update, with the location, and nothing changes: %s",
    async (_, fields, location, message) => {
      const response = await project.api.patch(workflow.path, { description: "Changed", ...fields });
      expect([response.status, response.body.errors]).toEqual([422, issueAt(location, message)]);
      const { path, ...before } = workflow;
      expect((await project.api.get(path)).body).toEqual(before);
    },
  );

  it("422 without a name or steps", async () => {
    const { body } = await project.api.post("/v1/workflows", {});
    expect(body.errors.map((issue: { location: string }) => issue.location)).toEqual(["body.name", "body.steps"]);
  });

  it("W1 gets all its issues at once: of its steps, its cycles, its settings and its references", async () => {
    const response = await project.api.post("/v1/workflows", {
      name: "Order",
      steps: [
        { step_ref: "a", job_id: "nobody", depends_on: ["b"] },
        { step_ref: "b", job_id, depends_on: ["a", "gone"], payload: { x: "{{payload.x" } },
        { ...REST, sleep_duration: "1d" },
        { ...REST, condition: "oops(" },
      ],
      payload_schema: { type: 1 },
      timezone: "Nowhere",
      environment_id: newId(),
      on_failure_job_id: newId(),
    });
    expect(response.body.errors.map((issue: { location: string }) => issue.location)).toEqual([
      "body.steps[0].job_id",
      "body.steps[1].depends_on[1]",
      "body.steps[1].payload.x",
      "body.steps[2].sleep_duration",
      "body.steps[3].step_ref",
      "body.steps[3].condition",
      "body.steps[1].depends_on[0]",
      "body.payload_schema",
      "body.timezone",
      "body.environment_id",
      "body.on_failure_job_id",
    ]);
    expect(response.body.errors[6].message).toBe("makes a cycle: a → b → a");
    expect(response.body.detail).toContain("(and 10 more)");
  });

  it("422 at an update whose steps are equivalent but have an extra field", async () => {
    const response = await project.api.patch(workflow.path, { steps: [{ ...REST, timeout_secs: 5 }] });
    expect([response.status, response.body.errors]).toEqual([
      422,
      issueAt("body.steps[0].timeout_secs", /not a field of a sleep step/),
    ]);
  });

  it("A2 422 if it references another project's job or environment", async () => {
    const other = await world.project();
    const theirs = await makeJob(other, { slug: "theirs" });
    const steps = [theirs.id, "theirs"].map((ref, i) => ({ step_ref: `s${i}`, job_id: ref }));
    const environment_id = (await other.api.get("/v1/environments/staging")).body.id;
    const response = await project.api.post("/v1/workflows", {
      name: "Order",
      steps,
      environment_id,
      on_failure_job_id: theirs.id,
    });
    expect(response.body.errors.map((issue: { location: string }) => issue.location)).toEqual([
      "body.steps[0].job_id",
      "body.steps[1].job_id",
      "body.environment_id",
      "body.on_failure_job_id",
    ]);
  });
});
