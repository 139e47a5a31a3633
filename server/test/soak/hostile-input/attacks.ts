import type { Client } from "../../client.ts";
import { COSTLY, DOUBLING, listOf, mapOf, nested, noise, scrambledNames } from "./hostile-values.ts";

export type Hostile = { api: Client; endpoint: string; n: () => number };
/** Prepares an attack, and returns the requests that carry it out. */
export type Attack = (hostile: Hostile) => Promise<() => Promise<unknown>>;

const ok = (answer: { status: number; text: string; body: Record<string, string> }) => {
  if (answer.status >= 300) throw new Error(`${answer.status} ${answer.text.slice(0, 300)}`);
  return answer.body;
};

async function makeJob({ api, endpoint, n }: Hostile, fields: object = {}): Promise<string> {
  const { id } = ok(
    await api.post("/v1/jobs", { name: `Job ${n()}`, endpoint_url: endpoint, max_attempts: 1, ...fields }),
  );
  return id ?? "";
}

async function makeWorkflow({ api, n }: Hostile, steps: object[], fields: object = {}): Promise<string> {
  return ok(await api.post("/v1/workflows", { name: `Workflow ${n()}`, steps, ...fields })).id ?? "";
}

/** How many copies of a value fit into a body. */
const mostOf = (value: unknown) =>
  Math.max(1, Math.min(100, Math.floor(1_000_000 / JSON.stringify(value).length), Math.floor(45_000 / countOf(value))));
const countOf = (value: unknown): number =>
  typeof value === "object" && value !== null ? Object.values(value).reduce((sum, each) => sum + countOf(each), 3) : 1;

const orOf = (part: (i: number) => string, count: number) => listOf(count, part).join(" || ");

/** Distinct conditions of 4 KB and 500 nodes. */
const longCondition = (i: number) => orOf((j) => `payload.x${i}_${j} == ${j}`, 90);
/** 100,000 steps. */
const costlyCondition = (i: number) => `payload.list.exists(x, x == -${i + 1}.5 || x == -2.5)`;

export const ATTACKS: Record<string, Attack> = {
  "save the doubling schema": async (hostile) => async () => {
    const answer = await hostile.api.post("/v1/jobs", {
      name: "D",
      endpoint_url: hostile.endpoint,
      payload_schema: DOUBLING,
    });
    if (answer.status !== 422) throw new Error(`accepted: ${answer.status}`);
  },
  ...Object.fromEntries(
    Object.entries(COSTLY).flatMap(([name, [schema, value]]): [string, Attack][] => [
      [
        `save a schema: ${name}`,
        async (hostile) => () => makeJob(hostile, { payload_schema: schema, result_schema: schema }),
      ],
      [
        `bulk: ${name}`,
        async (hostile) => {
          const job = await makeJob(hostile, { payload_schema: schema });
          const items = listOf(mostOf(value), () => ({ payload: value }));
          return () => hostile.api.post(`/v1/jobs/${job}/trigger/bulk`, { items });
        },
      ],
    ]),
  ),
  "trigger with 50,000 typed values": async (hostile) => {
    const job = await makeJob(hostile, {
      payload_schema: { additionalProperties: { items: { type: "integer" } } },
      dedup_window_secs: 60,
    });
    const payload = mapOf(50, () => listOf(980, (i) => i));
    return async () => ok(await hostile.api.post(`/v1/jobs/${job}/trigger`, { payload }));
  },
  "trigger with 49,000 names, deduplicated": async (hostile) => {
    const job = await makeJob(hostile, { dedup_window_secs: 60 });
    const payload = mapOf(49_000, (i) => i);
    return async () => ok(await hostile.api.post(`/v1/jobs/${job}/trigger`, { payload }));
  },
  "trigger with 49,000 names that are slow to compare": async (hostile) => {
    const job = await makeJob(hostile, { dedup_window_secs: 60 });
    const names = scrambledNames();
    return async () => {
      const payload = { ...names, n: hostile.n() };
      ok(await hostile.api.post(`/v1/jobs/${job}/trigger`, { payload, idempotency_key: `k${hostile.n()}` }));
    };
  },
  "49,000 names and a number that is rounded": async (hostile) => {
    const job = await makeJob(hostile);
    const body = JSON.stringify({ payload: mapOf(49_000, (i) => i) }).replace(":0,", ":0.12345678901234567,");
    return () => hostile.api.post(`/v1/jobs/${job}/trigger`, body);
  },
  "list runs with 49,000 names each": async (hostile) => {
    const job = await makeJob(hostile);
    const payload = mapOf(49_000, (i) => i);
    for (let i = 0; i < 5; i++) ok(await hostile.api.post(`/v1/jobs/${job}/trigger`, { payload }));
    return async () => ok(await hostile.api.get(`/v1/runs?job_id=${job}`));
  },
  "an event with 49,000 names for 5 deduplicating jobs": async (hostile) => {
    const slug = `s${hostile.n()}`;
    ok(await hostile.api.post("/v1/event-sources", { name: slug, slug }));
    for (let i = 0; i < 5; i++) {
      const job_id = await makeJob(hostile, { dedup_window_secs: 60 });
      ok(await hostile.api.post(`/v1/event-sources/${slug}/subscriptions`, { job_id, filter: "payload.k1 == 1" }));
    }
    const payload = mapOf(49_000, (i) => i);
    return async () => ok(await hostile.api.post("/v1/events/dispatch", { source: slug, payload }));
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
  "bulk of 100 with 500 values each, deduplicated": async (hostile) => {
    const job = await makeJob(hostile, { dedup_window_secs: 60 });
    return () =>
      hostile.api.post(`/v1/jobs/${job}/trigger/bulk`, {
        items: listOf(100, (i) => ({ payload: mapOf(480, (j) => i * j) })),
      });
  },
  "a body of which nothing is right":
    async ({ api }) =>
    () =>
      api.post(
        "/v1/jobs",
        mapOf(49_000, (i) => i),
      ),
  "items with nothing but errors": async (hostile) => {
    const job = await makeJob(hostile);
    return () =>
      hostile.api.post(`/v1/jobs/${job}/trigger/bulk`, { items: listOf(100, () => mapOf(480, () => "x".repeat(10))) });
  },
  "steps of which nothing is right":
    async ({ api }) =>
    () =>
      api.post("/v1/workflows", { name: "W", steps: listOf(500, () => mapOf(95, () => 1)) }),
  "a megabyte at fifty places": async (hostile) => {
    const job = await makeJob(hostile, { payload_schema: { required: listOf(60, (i) => `r${i}`) } });
    return () => hostile.api.post(`/v1/jobs/${job}/trigger`, { payload: { text: "x".repeat(1_000_000) } });
  },
  "a megabyte that is not JSON":
    async ({ api }) =>
    () =>
      api.post("/v1/jobs", `{"a":[${"1,".repeat(500_000)}`),
  "a megabyte of brackets":
    async ({ api }) =>
    () =>
      api.post("/v1/jobs", "[".repeat(1_000_000)),
  "a megabyte of objects, nested":
    async ({ api }) =>
    () =>
      api.post("/v1/jobs", '{"a":'.repeat(200_000)),
  "a megabyte of long numbers": async (hostile) => {
    const job = await makeJob(hostile);
    const numbers = listOf(45_000, () => "0.12345678901234567").join(",");
    return () => hostile.api.post(`/v1/jobs/${job}/trigger`, `{"payload":{"a":[${numbers}]}}`);
  },
  "a megabyte of escapes": async (hostile) => {
    const job = await makeJob(hostile);
    return () => hostile.api.post(`/v1/jobs/${job}/trigger`, `{"payload":{"a":"${"\\u00e9".repeat(170_000)}\\ud800"}}`);
  },
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
  "limit keys of 16 KB": async (hostile) => {
    const rate_limit_keys = listOf(10, (i) => ({
      name: `l${i}`,
      key: `{{payload.all}}${i}`,
      max: 1_000,
      window_secs: 60,
    }));
    const job = await makeJob(hostile, { rate_limit_keys, cancel_on: [] });
    const payload = { all: listOf(3_000, (i) => i), rest: listOf(45_000, (i) => i) };
    return async () => {
      const started = listOf(5, () => hostile.api.post(`/v1/jobs/${job}/trigger`, { payload }));
      for (const answer of await Promise.all(started)) await ended(hostile.api, `/v1/runs/${ok(answer).id}`);
    };
  },
  "an event for 100 costly filters": async (hostile) => {
    const job = await makeJob(hostile);
    const slug = `s${hostile.n()}`;
    ok(await hostile.api.post("/v1/event-sources", { name: slug, slug }));
    for (let i = 0; i < 100; i++)
      ok(
        await hostile.api.post(`/v1/event-sources/${slug}/subscriptions`, {
          job_id: job,
          filter: costlyCondition(i),
        }),
      );
    const payload = { list: listOf(14_000, (i) => i) };
    return async () => {
      ok(await hostile.api.post("/v1/events/dispatch", { source: slug, payload }));
      ok(await hostile.api.post(`/v1/event-sources/${slug}/test`, { payload }));
    };
  },
  "webhook filters that match patterns": async (hostile) => {
    for (let i = 0; i < 20; i++)
      ok(
        await hostile.api.post("/v1/webhook-subscriptions", {
          ...{ url: hostile.endpoint, events: ["run.completed"] },
          filter: `event.data.payload.text.matches('(a|b)*a(a|b){${40 + i}}c')`,
        }),
      );
    const job = await makeJob(hostile);
    return async () => {
      const items = listOf(100, () => ({ payload: { text: noise(900) } }));
      const { results } = ok(await hostile.api.post(`/v1/jobs/${job}/trigger/bulk`, { items })) as never as {
        results: { run_id: string }[];
      };
      await ended(hostile.api, `/v1/runs/${results.at(-1)?.run_id}`);
    };
  },
  "a result of half a million values": async (hostile) => {
    const job = await makeJob(hostile, {
      result_schema: { items: { type: "integer" } },
      endpoint_url: `${hostile.endpoint}/numbers`,
    });
    return async () => {
      const { id } = ok(await hostile.api.post(`/v1/jobs/${job}/trigger`, { payload: {} }));
      await ended(hostile.api, `/v1/runs/${id}`);
    };
  },
  "a result that doubles at each level": async (hostile) => {
    const [result_schema] = COSTLY["doubles at each level"] ?? [{}];
    const job = await makeJob(hostile, { result_schema, endpoint_url: `${hostile.endpoint}/nested` });
    return async () => {
      const { results } = ok(
        await hostile.api.post(`/v1/jobs/${job}/trigger/bulk`, { items: listOf(40, () => ({ payload: {} })) }),
      ) as never as { results: { run_id: string }[] };
      for (const { run_id } of results) await ended(hostile.api, `/v1/runs/${run_id}`);
    };
  },
  "queries of many parts":
    async ({ api }) =>
    async () => {
      const q = encodeURIComponent(orOf((i) => `tag.a${i}:b status:failed`, 200).slice(0, 6_000));
      const cursor = Buffer.from("x".repeat(5_000)).toString("base64url");
      for (const query of [`q=${q}`, `cursor=${cursor}`, `tag=${"a".repeat(7_000)}`, `q=${"(".repeat(6_000)}`])
        await api.get(`/v1/runs?${query}`);
    },
  "tags and metadata": async (hostile) => {
    const job = await makeJob(hostile);
    return () =>
      hostile.api.post(`/v1/jobs/${job}/trigger/bulk`, {
        items: listOf(100, (i) => ({
          metadata: mapOf(200, (j) => i * j),
          tags: mapOf(20, () => "v"),
          payload: nested(50),
        })),
      });
  },
};

async function ended(api: Client, path: string): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    const { body } = await api.get(path);
    if (["completed", "failed", "timed_out", "canceled"].includes(body?.status)) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`${path} did not end`);
}
