import type { EventTested, TestEvent } from "@millrace/contract/source-events";
import { payloadIssues, scopeOf } from "../../../flow/sources/admit-event.ts";
import { matchSubscriptions } from "../../../flow/sources/match-subscriptions.ts";
import { prepareStarts, type Start } from "../../../flow/sources/prepare-starts.ts";
import { listSubscriptions } from "../../../flow/sources/source-rows.ts";
import { boundEnvironment } from "../../../platform/access/bound-environment.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import { notFound } from "../../../platform/errors/errors.ts";
import { newId } from "../../../platform/ids.ts";
import { findSource } from "../queries.ts";

type Tested = EventTested["subscriptions"][number];

/** The result that each subscription would have for an event. Starts and stores nothing. */
export async function testEvent(ctx: ProjectCtx, ref: string, body: TestEvent): Promise<EventTested> {
  const { caller, project_id } = ctx;
  const source = await findSource(ctx, ref);
  if (!source) throw notFound("event source");
  const { id = newId(), type = null, payload = {}, metadata = {} } = body;
  const errors = payloadIssues(source, payload);
  const subscriptions = await listSubscriptions(ctx, source, boundEnvironment(caller));
  const matches = await matchSubscriptions(subscriptions, scopeOf(source, { id, type, payload, metadata }));
  const cause = { trigger_type: "event", created_by: caller.name, metadata: {} } as const;
  const starts = await prepareStarts(ctx, project_id, matches, cause);
  const isTaken = source.enabled && errors.length === 0;
  const tested = starts.map((start) => present(start, isTaken));
  return { errors, matched: tested.filter(({ matched }) => matched).length, subscriptions: tested };
}

function present(start: Start, isTaken: boolean): Tested {
  const { match } = start;
  const { id: subscription_id, job_id, workflow_id, enabled } = match.subscription;
  const starts = start.kind === "run" || start.kind === "workflow_run";
  const error = match.kind === "failed" ? match.error : start.kind === "refused" ? start.error : null;
  return {
    ...{ subscription_id, job_id, workflow_id, enabled, error },
    matched: match.kind === "matched" || (match.kind === "failed" && match.matched),
    reason: reasonOf(start),
    would_start: starts && isTaken,
    payload: match.kind === "matched" ? match.payload : null,
  };
}

function reasonOf({ match, ...start }: Start): string {
  const { filter } = match.subscription;
  if (match.kind === "disabled") return "the subscription is disabled";
  if (match.kind === "not_matched") return `the filter ${filter} is false`;
  if (match.kind === "failed") return match.matched ? "a template cannot be rendered" : `the filter ${filter} failed`;
  if (start.kind === "refused") return "it matches, but its job or workflow rejects the run";
  return filter === null ? "there is no filter" : `the filter ${filter} is true`;
}
