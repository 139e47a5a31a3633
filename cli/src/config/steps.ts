import type { Body } from "./kinds.ts";

const COMMON = { depends_on: [], on_failure: "fail_workflow", condition: null };

/** What the service stores for fields that a step does not name. */
const BY_TYPE: Record<string, Body> = {
  job: {
    ...{ payload: null, timeout_secs: null, max_attempts: null, priority: null, concurrency_key: null },
    ...{ event_emit_key: null, event_emit_buffer_secs: 0, compensate_job_id: null },
  },
  wait_for_event: { timeout_secs: 3_600, notify_url: null },
  sleep: {},
  approval: { approvers: [], message: null, timeout_secs: 86_400 },
  map: { payload: null, max_parallel: 10, tolerate_failures: false, compensate_job_id: null },
  sub_workflow: { payload: null, compensate_job_id: null },
};

const REFS: Readonly<Record<string, "job" | "workflow">> = {
  job_id: "job",
  compensate_job_id: "job",
  workflow_id: "workflow",
};

/** Steps with every field of their type, as the service returns them. */
export function normalSteps(steps: readonly Body[]): Body[] {
  return steps.map((step) => {
    const type = String(step.type ?? "job");
    const given = Object.entries(step).filter(([, value]) => value !== null && value !== undefined);
    return { step_ref: step.step_ref, type, ...COMMON, ...BY_TYPE[type], ...Object.fromEntries(given) };
  });
}

/** Steps without what they have by default. */
export function writtenSteps(steps: readonly Body[]): Body[] {
  return steps.map((step) => {
    const [bare = {}] = normalSteps([{ step_ref: step.step_ref, type: step.type }]);
    const isDefault = ([field, value]: [string, unknown]) =>
      field === "type"
        ? value === "job"
        : JSON.stringify(bare[field]) === JSON.stringify(value) && field !== "step_ref";
    return Object.fromEntries(Object.entries(step).filter((entry) => !isDefault(entry)));
  });
}

/** Replaces what the steps refer to, such as ids by slugs. */
export function mapStepRefs(
  steps: readonly Body[],
  replace: (kind: "job" | "workflow", ref: string) => string,
): Body[] {
  return steps.map((step) =>
    Object.fromEntries(
      Object.entries(step).map(([field, value]) => {
        const kind = REFS[field];
        return [field, kind && typeof value === "string" ? replace(kind, value) : value];
      }),
    ),
  );
}

/** The jobs and workflows that steps refer to, as `job mail`. */
export function stepRefs(steps: readonly Body[]): string[] {
  const found: string[] = [];
  mapStepRefs(steps, (kind, ref) => {
    found.push(`${kind} ${ref}`);
    return ref;
  });
  return found;
}
