import { holdsScope } from "@millrace/contract/access/scopes";
import { tokenLimitsOf } from "../../platform/access/credentials/token-limits.ts";
import { withAccess } from "../../platform/access/policies/policies.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { ApiError } from "../../platform/errors/errors.ts";
import { findTriggersByKey, findVisible } from "./queries.ts";
import { scopeOf, type Topic, type TopicKind } from "./topics.ts";

/** The caller with the policies of each area: a stream of all objects checks each row against them. */
export type SeenAs = { runs: ProjectCtx; workflow_runs: ProjectCtx; events: ProjectCtx; webhooks: ProjectCtx };

const OF_BATCHES: ReadonlySet<TopicKind> = new Set(["batches", "batch"]);

/** Requires each topic's scope, and that the caller can see each object. */
export async function requireTopics(ctx: ProjectCtx, topics: Topic[]): Promise<SeenAs> {
  for (const topic of topics) {
    const scope = scopeOf(topic);
    if (!holdsScope(ctx.caller.scopes, scope)) {
      throw new ApiError("scope_missing", `The topic ${topic.name} needs the scope ${scope}.`);
    }
    if (OF_BATCHES.has(topic.kind) && tokenLimitsOf(ctx.caller)) {
      throw new ApiError("forbidden", "A scoped token cannot open topics of batch operations.");
    }
  }
  const idsOf = (...kinds: TopicKind[]) => topics.flatMap(({ kind, id }) => (kinds.includes(kind) ? [id] : []));
  const [ofRuns, ofWorkflows, ofEvents, ofWebhooks] = await Promise.all([
    withAccess(ctx, "runs:read"),
    withAccess(ctx, "workflows:read"),
    withAccess(ctx, "events:read"),
    withAccess(ctx, "webhooks:read"),
  ]);
  const [runs, workflowRuns, deliveries, batches, triggers] = await Promise.all([
    findVisible(ofRuns, "runs", idsOf("run", "run_logs")),
    findVisible(ofWorkflows, "workflow_runs", idsOf("workflow_run")),
    findVisible(ofWebhooks, "webhook_deliveries", idsOf("webhook_delivery")),
    findVisible(ofRuns, "batch_operations", idsOf("batch")),
    findTriggersByKey(ofEvents, idsOf("event")),
  ]);
  const keys = new Set(triggers.map(({ event_key }) => event_key));
  const requireAll = (ids: string[], found: Set<string>, what: string) => {
    const missing = ids.find((id) => !found.has(id));
    if (missing !== undefined) throw missingTopic(what, topics.find(({ id }) => id === missing)?.name);
  };
  requireAll(idsOf("run", "run_logs"), runs, "run");
  requireAll(idsOf("workflow_run"), workflowRuns, "workflow run");
  requireAll(idsOf("webhook_delivery"), deliveries, "webhook delivery");
  requireAll(idsOf("batch"), batches, "batch operation");
  requireAll(idsOf("event"), keys, "event trigger");
  return { runs: ofRuns, workflow_runs: ofWorkflows, events: ofEvents, webhooks: ofWebhooks };
}

/** The usual not-found message, with the topic that names the object. */
function missingTopic(what: string, name: string | undefined): ApiError {
  const message = `There is no such ${what}.`;
  return new ApiError("not_found", message, { errors: [{ location: "query.topics", message, value: name }] });
}
