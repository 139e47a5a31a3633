import { type Attack, ended, type Hostile, makeJob, ok, orOf } from "./attack.ts";
import { costlyCondition, listOf, mapOf } from "./hostile-values.ts";

/** Distinct conditions of 4 KB and 500 nodes. */
const longCondition = (i: number) => orOf((j) => `payload.x${i}_${j} == ${j}`, 90);

async function makeWorkflow({ api, n }: Hostile, steps: object[], fields: object = {}): Promise<string> {
  return ok(await api.post("/v1/workflows", { name: `Workflow ${n()}`, steps, ...fields })).id ?? "";
}

/** Conditions, templates and maps of workflows. */
export const WORKFLOW_ATTACKS: Record<string, Attack> = {
  "conditions of 4 KB in 200 steps": async (hostile) => {
    const job = await makeJob(hostile);
    const steps = listOf(200, (i) => ({ step_ref: `s${i}`, job_id: job, condition: longCondition(i) }));
    return async () => ok(await hostile.api.post("/v1/workflows", { name: `W${hostile.n()}`, steps }));
  },
  "300 steps that depend on all before them": async (hostile) => {
    const job = await makeJob(hostile);
    const steps = listOf(300, (i) => ({ step_ref: `s${i}`, job_id: job, depends_on: listOf(i, (j) => `s${j}`) }));
    return async () => {
      const { id } = ok(await hostile.api.post("/v1/workflows", { name: `W${hostile.n()}`, steps }));
      ok(await hostile.api.post(`/v1/workflows/${id}/plan`, {}));
      ok(await hostile.api.post(`/v1/workflows/${id}/simulate`, { payload: {} }));
      const { version_id } = ok(await hostile.api.get(`/v1/workflows/${id}`));
      const changed = steps.map((step) => ({ ...step, timeout_secs: 9 }));
      const { version_id: next } = ok(await hostile.api.patch(`/v1/workflows/${id}`, { steps: changed }));
      await hostile.api.get(`/v1/workflows/${id}/versions/${version_id}/diff/${next}`);
    };
  },
  "simulate 300 costly conditions": async (hostile) => {
    const job = await makeJob(hostile);
    const steps = listOf(300, (i) => ({ step_ref: `s${i}`, job_id: job, condition: costlyCondition(i) }));
    const workflow = await makeWorkflow(hostile, steps);
    const payload = { list: listOf(14_000, (i) => i) };
    return async () => ok(await hostile.api.post(`/v1/workflows/${workflow}/simulate`, { payload }));
  },
  "run 300 costly conditions": async (hostile) => {
    const job = await makeJob(hostile);
    const steps = listOf(300, (i) => ({ step_ref: `s${i}`, job_id: job, condition: costlyCondition(i) }));
    const workflow = await makeWorkflow(hostile, steps);
    const payload = { list: listOf(14_000, (i) => i) };
    return async () => {
      const { id } = ok(await hostile.api.post(`/v1/workflows/${workflow}/trigger`, { payload }));
      await ended(hostile.api, `/v1/workflow-runs/${id}`);
    };
  },
  "render 280 KB in 30 steps": async (hostile) => {
    const job = await makeJob(hostile);
    const steps = listOf(30, (i) => ({ step_ref: `s${i}`, job_id: job, payload: { all: "{{payload}}", i } }));
    const workflow = await makeWorkflow(hostile, steps);
    const payload = { list: listOf(49_000, (i) => i) };
    return async () => {
      const { id } = ok(await hostile.api.post(`/v1/workflows/${workflow}/trigger`, { payload }));
      await ended(hostile.api, `/v1/workflow-runs/${id}`);
    };
  },
  "1,000 templates in a step": async (hostile) => {
    const job = await makeJob(hostile);
    const payload = {
      ...mapOf(500, () => "a{{payload.a}}{{payload.b}}"),
      ...mapOf(0, () => 0),
      rest: listOf(48_000, () => 1),
    };
    const workflow = await makeWorkflow(hostile, [{ step_ref: "s", job_id: job, payload }]);
    return async () => {
      ok(
        await hostile.api.post("/v1/workflows", {
          name: `W${hostile.n()}`,
          steps: [{ step_ref: "s", job_id: job, payload }],
        }),
      );
      const { id } = ok(await hostile.api.post(`/v1/workflows/${workflow}/trigger`, { payload: { a: 1, b: 2 } }));
      await ended(hostile.api, `/v1/workflow-runs/${id}`);
    };
  },
  "a text of 1,000 templates": async (hostile) => {
    const job = await makeJob(hostile);
    const text = "{{payload.a}}".repeat(1_000);
    return async () => {
      const steps = [{ step_ref: "s", job_id: job, payload: { text } }];
      const { id } = ok(await hostile.api.post("/v1/workflows", { name: `W${hostile.n()}`, steps }));
      const run = ok(await hostile.api.post(`/v1/workflows/${id}/trigger`, { payload: { a: mapOf(100, (i) => i) } }));
      await ended(hostile.api, `/v1/workflow-runs/${run.id}`);
    };
  },
  "templates that are not closed": async (hostile) => {
    const job = await makeJob(hostile);
    return () => {
      const steps = [
        { step_ref: "s", job_id: job, payload: { a: "{{ {{".repeat(150_000), ...mapOf(20_000, () => "{{x") } },
      ];
      return hostile.api.post("/v1/workflows", { name: `W${hostile.n()}`, steps });
    };
  },
  "save and change a step with 49,000 names": async (hostile) => {
    const step = { step_ref: "s", job_id: await makeJob(hostile), payload: mapOf(49_000, (i) => i) };
    return async () => {
      const id = await makeWorkflow(hostile, [step]);
      ok(await hostile.api.patch(`/v1/workflows/${id}`, { steps: [{ ...step, timeout_secs: 9 }] }));
    };
  },
  "run steps that pass on 49,000 names": async (hostile) => {
    const job_id = await makeJob(hostile);
    const steps = [
      { step_ref: "a", job_id, payload: { all: "{{payload}}" } },
      { step_ref: "b", job_id, payload: { all: "x {{payload}}" }, condition: "payload.k1 == 1" },
    ];
    const workflow = await makeWorkflow(hostile, steps);
    const payload = mapOf(49_000, (i) => i);
    return async () => {
      const { id } = ok(await hostile.api.post(`/v1/workflows/${workflow}/trigger`, { payload }));
      await ended(hostile.api, `/v1/workflow-runs/${id}`);
    };
  },
  "a map of 200 items over a large payload": async (hostile) => {
    const job = await makeJob(hostile, { payload_schema: { properties: { all: { uniqueItems: true } } } });
    const step = {
      step_ref: "m",
      type: "map",
      job_id: job,
      items: "{{payload.items}}",
      payload: { all: "{{payload.all}}" },
    };
    const workflow = await makeWorkflow(hostile, [{ ...step, max_parallel: 50 }]);
    const payload = { items: listOf(200, (i) => i), all: listOf(20_000, (i) => `t${i}`) };
    return async () => {
      const { id } = ok(await hostile.api.post(`/v1/workflows/${workflow}/trigger`, { payload }));
      await ended(hostile.api, `/v1/workflow-runs/${id}`);
    };
  },
};
