import { MAX_SHADOWED_RUNS, ShadowReport, ShadowWorkflow } from "@millrace/contract/workflows/shadow";
import type { Medians } from "../../../flow/workflows/versions/recorded-run.ts";
import { compareReplay, replayHistory } from "../../../flow/workflows/versions/replay-history.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import { invalid } from "../../../platform/errors/errors.ts";
import { projectRoute, type Route } from "../../../platform/route.ts";
import { inSlices } from "../../../platform/time-slices.ts";
import { getWorkflow } from "../queries.ts";
import { stepsSemanticValidation } from "../validate/semantic-validation.ts";
import { type Candidate, readCandidate } from "./shadow-candidate.ts";
import { readCapsules } from "./shadow-capsules.ts";
import { type Historic, listEndedRuns, readHistory, readMedians } from "./shadow-history.ts";
import { beginReport, countRun, type PendingReport, presentReport } from "./shadow-report.ts";

export const shadowRoutes: Route[] = [
  projectRoute("POST /v1/workflows/{workflowID}/shadow", {
    summary: "Replay ended runs against a candidate version, without dispatching anything",
    scope: "workflows:read",
    foundBy: { table: "workflows", param: "workflowID" },
    body: ShadowWorkflow,
    semanticValidation: stepsSemanticValidation,
    response: ShadowReport,
    errors: ["policy_violated", "slug_taken"],
    run: (ctx, { params, body }) => shadowWorkflow(ctx, params.workflowID, body),
  }),
];

const DEFAULT_RUNS = 100;
/** How many runs' payloads and outputs are in memory at once. */
const PAGE = 100;

/** Computes what a candidate would have decided in ended runs. Dispatches and writes nothing. */
async function shadowWorkflow(
  ctx: ProjectCtx,
  ref: string,
  body: ShadowWorkflow,
): Promise<Omit<ShadowReport, "$schema">> {
  const workflow = await getWorkflow(ctx, ref);
  refuseConflicting(body);
  const candidate = await readCandidate(ctx, workflow, body);
  const ids = await chooseRuns(ctx, workflow.id, body);
  const capsules = await readCapsules(ctx, body.capsule_ids ?? []);
  const medians = await readMedians(ctx, ids, capsules);
  const report = beginReport(candidate, medians, body.limit);
  for (let from = 0; from < ids.length; from += PAGE) {
    const page = await readHistory(ctx, ids.slice(from, from + PAGE), candidate.definition);
    await replayAll(report, candidate, page, medians);
  }
  await replayAll(report, candidate, capsules, medians);
  return { workflow_id: workflow.id, ...presentReport(report) };
}

function refuseConflicting({ version, steps, last, workflow_run_ids, capsule_ids }: ShadowWorkflow): void {
  if (version !== undefined && steps !== undefined) {
    throw invalid("body.steps", "cannot be given together with version", null);
  }
  if (last !== undefined && (workflow_run_ids ?? capsule_ids) !== undefined) {
    throw invalid("body.last", "cannot be given together with ids", last);
  }
}

/** Newest first. */
async function chooseRuns(ctx: ProjectCtx, workflow_id: string, body: ShadowWorkflow): Promise<string[]> {
  const { workflow_run_ids: named, capsule_ids, last = DEFAULT_RUNS } = body;
  if (named === undefined && capsule_ids !== undefined) return [];
  const found = await listEndedRuns(ctx, workflow_id, named, named ? MAX_SHADOWED_RUNS : last);
  const missing = named?.findIndex((id) => !found.includes(id)) ?? -1;
  if (missing < 0) return found;
  throw invalid(`body.workflow_run_ids[${missing}]`, "is not an ended run of this workflow", named?.[missing]);
}

async function replayAll(
  report: PendingReport,
  { definition }: Candidate,
  runs: readonly Historic[],
  medians: Medians,
): Promise<void> {
  for (const { recorded, ...run } of runs) {
    const replay = await inSlices(replayHistory(definition, recorded, medians));
    countRun(report, run, { recorded, replay, differences: compareReplay(recorded, replay) });
  }
}
