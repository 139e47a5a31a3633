import type { TestProject } from "../../server/test/world/world.ts";

/** What is configured rather than run: an event source with subscriptions, webhooks, a drain, schedules and variables. */
export async function seedDemoSettings({ api }: TestProject, job_id: string): Promise<{ sourceId: string }> {
  const { body: source } = await api.post("/v1/event-sources", { name: "Shop", slug: "shop", signature: "github" });
  const path = `/v1/event-sources/${source.id}/subscriptions`;
  await api.post(path, { job_id, filter: "payload.total > 10.0", payload: { url: "{{event.id}}", rows: 1 } });
  await api.post(path, { job_id, filter: "event.type == 'refund'" });
  await api.post("/v1/events/dispatch", { source: source.id, type: "order.paid", payload: { total: 20 } });
  await api.post("/v1/webhook-subscriptions", {
    url: "https://example.com/hooks/failures",
    events: ["run.failed", "workflow_run.failed"],
    filter: 'event.data.tags.team == "billing"',
  });
  await api.post("/v1/log-drains", { name: "Loki", url: "https://loki.example.com/loki/api/v1/push", format: "loki" });
  await api.post("/v1/schedules", { job_id, name: "Hourly import", cron: "15 * * * *", timezone: "Europe/Berlin" });
  await api.post("/v1/schedules", { job_id, name: "Weekly report", cron: "0 7 * * 1", payload: { full: true } });
  await api.patch("/v1/environments/production", {
    variables: { API_URL: "https://api.example.com", TOKEN: "s3cret" },
  });
  await api.patch("/v1/environments/staging", { variables: { API_URL: "https://staging.example.com" } });
  return { sourceId: source.id };
}

/** The same with hostile texts. */
export async function seedHostileSettings(
  { api }: TestProject,
  job_id: string,
  name: string,
  text: string,
): Promise<void> {
  const { body: source } = await api.post("/v1/event-sources", { name, slug: "hostile", description: text });
  const template = { [text]: text };
  await api.post(`/v1/event-sources/${source.id}/subscriptions`, {
    job_id,
    filter: `${JSON.stringify(text)} == ''`,
    payload: template,
  });
  await api.post("/v1/events/dispatch", { source: source.id, type: name, payload: template, metadata: template });
  await api.post("/v1/webhook-subscriptions", { url: "https://example.com/hooks", events: ["*"], description: text });
  await api.post("/v1/log-drains", { name, url: "https://example.com/logs" });
  await api.post("/v1/schedules", { job_id, name, cron: "0 * * * *", payload: template });
  for (const resource of ["logs", "analytics"])
    await api.post("/v1/saved-views", { name, resource, query: { q: text } });
}
