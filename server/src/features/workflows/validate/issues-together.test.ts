import { beforeAll, describe, expect, it } from "vitest";
import { makeJob, makeWorkflow, REST } from "../../../../test/seed/make-workflow.ts";
import { makeWorld, type TestProject, type World } from "../../../../test/world/world.ts";
import { newId } from "../../../platform/ids.ts";

let world: World;
let project: TestProject;
let path: string;
beforeAll(async () => {
  world = await makeWorld();
  project = await world.project();
  await makeWorkflow(project, { slug: "taken" });
  path = (await makeWorkflow(project, { slug: "own" })).path;
});

const unknownJob = { step_ref: "charge", job_id: "nobody" };
const unknownWorkflow = { step_ref: "pack", type: "sub_workflow", workflow_id: newId() };
const cycle = { ...REST, step_ref: "loop", depends_on: ["loop"] };

/** The schema rejects something in the first ones, and nothing in the last ones. */
const TOGETHER: [body: Record<string, unknown>, locations: string[]][] = [
  [
    { timeout_secs: 0, steps: [unknownJob, unknownWorkflow] },
    ["timeout_secs", "steps[0].job_id", "steps[1].workflow_id"],
  ],
  [{ slug: "Not A Slug", steps: [unknownJob] }, ["slug", "steps[0].job_id"]],
  [{ steps: [{ ...unknownJob, on_failure: "zz" }] }, ["steps[0].on_failure", "steps[0].job_id"]],
  [
    { max_concurrent_runs: 0, steps: [unknownJob, cycle] },
    ["max_concurrent_runs", "steps[0].job_id", "steps[1].depends_on[0]"],
  ],
  [
    { timeout_secs: 0, environment_id: newId(), on_failure_job_id: newId(), slug: "taken", steps: [REST] },
    ["timeout_secs", "environment_id", "on_failure_job_id", "slug"],
  ],
  [
    { timeout_secs: 0, steps: [{ ...REST, type: "sub_workflow" }] },
    ["timeout_secs", "steps[0].workflow_id", "steps[0].sleep_duration"],
  ],
  [
    { cancel_on: ["{{nope.x}}", "{{parent_outputs.a}}", "", "x".repeat(513)].map((event_key) => ({ event_key })) },
    [0, 1, 2, 3].map((i) => `cancel_on[${i}].event_key`),
  ],
  [{ slug: "taken", steps: [unknownJob, cycle] }, ["steps[0].job_id", "steps[1].depends_on[0]", "slug"]],
];

const locationsOf = ({ body }: { body: { errors: { location: string }[] } }) =>
  body.errors.map(({ location }) => location.replace("body.", ""));

describe("the issues of a saved workflow", () => {
  it.each(TOGETHER.map(([body, locations]) => [locations.join(" "), body, locations] as const))(
    "W1 are reported together, each once: %s",
    async (_, body, locations) => {
      const created = await project.api.post("/v1/workflows", { name: "Order", steps: [REST], ...body });
      expect([created.status, locationsOf(created)]).toEqual([422, locations]);
      const changed = await project.api.patch(path, body);
      expect([changed.status, locationsOf(changed)]).toEqual([422, locations]);
    },
  );

  it("W1 include those of the policy", async () => {
    const strict = await world.project();
    await strict.api.put(`/v1/workflow-policies/${strict.id}`, { forbidden_step_types: ["sleep"], max_steps: 1 });
    const steps = [unknownJob, REST, { ...REST, step_ref: "other", type: "dance" }];
    const response = await strict.api.post("/v1/workflows", { name: "Order", timeout_secs: 0, steps });
    expect(locationsOf(response)).toEqual([
      "steps[2].type",
      "timeout_secs",
      "steps[0].job_id",
      "steps",
      "steps[1].type",
    ]);
  });

  it("W1 are a 409 if a taken slug is the only one", async () => {
    const created = await project.api.post("/v1/workflows", { name: "Order", slug: "taken", steps: [REST] });
    const changed = await project.api.patch(path, { slug: "taken" });
    expect([created, changed].map(({ status, body }) => [status, body.code])).toEqual([
      [409, "slug_taken"],
      [409, "slug_taken"],
    ]);
  });

  it("W1 exclude fields that a change sends back unchanged", async () => {
    const job = await makeJob(project);
    const { path, slug, steps } = await makeWorkflow(project, { steps: [{ step_ref: "a", job_id: job.id }] });
    const response = await project.api.patch(path, { slug, steps, timeout_secs: 0 });
    expect(locationsOf(response)).toEqual(["timeout_secs"]);
  });

  it("W1 exclude its own slug, by which it may start itself", async () => {
    const steps = [{ step_ref: "again", type: "sub_workflow", workflow_id: "self" }];
    const response = await project.api.post("/v1/workflows", { name: "Order", slug: "self", steps, timeout_secs: 0 });
    expect(locationsOf(response)).toEqual(["timeout_secs"]);
  });

  it("A2 do not reveal to a key of another project which names exist", async () => {
    const other = await world.project();
    await makeJob(other, { slug: "theirs" });
    const steps = [{ step_ref: "a", job_id: "nobody" }];
    const asked = { project_id: other.id, name: "Order", steps, timeout_secs: 0 };
    expect(locationsOf(await project.api.post("/v1/workflows", asked))).toEqual(["timeout_secs"]);
  });
});
