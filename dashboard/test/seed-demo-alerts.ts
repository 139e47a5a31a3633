import type { TestProject, World } from "../../server/test/world/world.ts";

/** Channels, rules in several states, a firing and a resolved alert. The errors are those of the seeded runs. */
export async function seedDemoAlerts(world: World, { api }: TestProject): Promise<void> {
  const channel = async (name: string, fields: object) =>
    (await api.post("/v1/alert-channels", { name, ...fields })).body.id as string;
  const night = await channel("Night", { kind: "slack", url: "https://hooks.slack.com/services/T0/B0/secret" });
  const oncall = await channel("On call", { kind: "pagerduty", key: "routing-key-of-the-team" });
  await channel("Platform", { kind: "email", email: "platform@example.com" });
  const rule = async (name: string, fields: object) =>
    (await api.post("/v1/alert-rules", { name, channel_ids: [night], ...fields })).body.id as string;
  await rule("Half of the runs fail", { kind: "failure_rate", threshold: 0.5, environment_id: "production" });
  await rule("Errors in production", {
    ...{ kind: "new_errors", window_secs: 86_400, channel_ids: [night, oncall] },
    runbook: "Look at https://wiki.example.com/errors, then resolve or assign the issue.",
  });
  await rule("Budget", { kind: "budget", threshold: 80 });
  const quiet = await rule("Objective of the checkout", {
    kind: "slo_burn_rate",
    objective: 0.999,
    tag: "team:payments",
  });
  await api.post(`/v1/alert-rules/${quiet}/silence`, { duration_secs: 86_400 });
  const over = await rule("Backlog", { kind: "queue_depth", threshold: 0 });
  await world.tick("evaluate-alert-rules");
  await api.patch(`/v1/alert-rules/${over}`, { enabled: false });
}
