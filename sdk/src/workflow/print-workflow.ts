import { durationSecs } from "../duration.ts";
import type { CreateWorkflow } from "../generated/schemas.ts";
import { jsonSchemaOf } from "../json-schema-of.ts";
import type { AnyWorkflow } from "./workflow-types.ts";

/** The body that creates the workflow. Omitted settings use the service's defaults. */
export function printWorkflow({
  id,
  settings,
  schema,
  steps,
}: Omit<AnyWorkflow, "toJSON" | "toMermaid">): CreateWorkflow {
  const { onFailure, schedule, timeout } = settings;
  const payload_schema = settings.payloadSchema === undefined ? jsonSchemaOf(schema) : settings.payloadSchema;
  const body: CreateWorkflow = {
    name: settings.name ?? id,
    slug: id,
    steps: [...steps],
    description: settings.description,
    payload_schema,
    timeout_secs: timeout && durationSecs(timeout),
    max_parallel_steps: settings.maxParallelSteps,
    max_concurrent_runs: settings.maxConcurrentRuns,
    cron: schedule?.cron,
    timezone: schedule?.timezone,
    cron_overlap_policy: schedule?.overlap,
    on_failure_job_id: typeof onFailure === "object" ? onFailure.id : onFailure,
    cancel_on: settings.cancelOn?.map((event_key) => ({ event_key })),
    tags: settings.tags,
    environment_id: settings.environment,
    enabled: settings.enabled,
  };
  return JSON.parse(JSON.stringify(body));
}

/** `graph TD` with a node per step and an edge per dependency. */
export function printMermaid({ steps }: Pick<AnyWorkflow, "steps">): string {
  const nodes = steps.map(
    ({ step_ref, type }, at) => `  s${at}["${step_ref}${type && type !== "job" ? ` (${type})` : ""}"]`,
  );
  const at = new Map(steps.map(({ step_ref }, index) => [step_ref, index]));
  const edges = steps.flatMap(({ depends_on = [] }, to) => depends_on.map((from) => `  s${at.get(from)} --> s${to}`));
  return ["graph TD", ...nodes, ...edges].join("\n");
}
