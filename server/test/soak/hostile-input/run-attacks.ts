import { type Attack, ended, makeJob, ok, orOf } from "./attack.ts";
import { COSTLY, costlyCondition, listOf, mapOf, nested, noise } from "./hostile-values.ts";

/** Limit keys, events, lists, filters, results, queries and tags. */
export const RUN_ATTACKS: Record<string, Attack> = {
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
      for (const response of await Promise.all(started)) await ended(hostile.api, `/v1/runs/${ok(response).id}`);
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
  "list runs with 49,000 names each": async (hostile) => {
    const job = await makeJob(hostile);
    const payload = mapOf(49_000, (i) => i);
    for (let i = 0; i < 5; i++) ok(await hostile.api.post(`/v1/jobs/${job}/trigger`, { payload }));
    return async () => ok(await hostile.api.get(`/v1/runs?job_id=${job}`));
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
