import type * as schemas from "./generated/schemas.ts";

// The objects of the API that applications name most. `schemas` has all of them.

/**
 * A run of a job.
 *
 * @example
 * const run: Run = await client.runs.get("0198c7a2-…");
 * console.log(run.status, run.attempt);
 */
export type Run = schemas.Run;

/**
 * A run of a workflow.
 *
 * @example
 * const run: WorkflowRun = await client.workflowRuns.get("0198c7a2-…");
 * console.log(run.status);
 */
export type WorkflowRun = schemas.WorkflowRun;

/**
 * A step of a workflow run.
 *
 * @example
 * const steps: StepRun[] = await client.workflowRuns.handle("0198c7a2-…").steps();
 * console.log(steps.map(({ step_ref, status }) => `${step_ref}: ${status}`));
 */
export type StepRun = schemas.StepRun;

/**
 * A wait for an event, and what ended it.
 *
 * @example
 * const waits: EventTrigger[] = await client.events.list({ status: "waiting" }).all();
 * console.log(waits.map(({ event_key }) => event_key));
 */
export type EventTrigger = schemas.EventTrigger;
