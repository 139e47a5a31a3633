import { type Attack, makeJob, ok } from "./attack.ts";
import { COSTLY, DOUBLING, listOf, mapOf, scrambledNames } from "./hostile-values.ts";

/** How many copies of a value fit into a body. */
const maxItemsFor = (value: unknown) =>
  Math.max(1, Math.min(100, Math.floor(1_000_000 / JSON.stringify(value).length), Math.floor(45_000 / countOf(value))));
const countOf = (value: unknown): number =>
  typeof value === "object" && value !== null ? Object.values(value).reduce((sum, each) => sum + countOf(each), 3) : 1;

/** Schemas and request bodies. */
export const BODY_ATTACKS: Record<string, Attack> = {
  "save the doubling schema": async (hostile) => async () => {
    const response = await hostile.api.post("/v1/jobs", {
      name: "D",
      endpoint_url: hostile.endpoint,
      payload_schema: DOUBLING,
    });
    if (response.status !== 422) throw new Error(`accepted: ${response.status}`);
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
          const items = listOf(maxItemsFor(value), () => ({ payload: value }));
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
  "bulk of 100 with 500 values each, deduplicated": async (hostile) => {
    const job = await makeJob(hostile, { dedup_window_secs: 60 });
    return () =>
      hostile.api.post(`/v1/jobs/${job}/trigger/bulk`, {
        items: listOf(100, (i) => ({ payload: mapOf(480, (j) => i * j) })),
      });
  },
  "a body of 49,000 unknown fields":
    async ({ api }) =>
    () =>
      api.post(
        "/v1/jobs",
        mapOf(49_000, (i) => i),
      ),
  "items of 480 unknown fields each": async (hostile) => {
    const job = await makeJob(hostile);
    return () =>
      hostile.api.post(`/v1/jobs/${job}/trigger/bulk`, { items: listOf(100, () => mapOf(480, () => "x".repeat(10))) });
  },
  "500 steps of 95 unknown fields each":
    async ({ api }) =>
    () =>
      api.post("/v1/workflows", { name: "W", steps: listOf(500, () => mapOf(95, () => 1)) }),
  "a megabyte without the 60 required fields": async (hostile) => {
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
};
