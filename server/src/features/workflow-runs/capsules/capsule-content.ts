import { findWorkflowVersion } from "../../../flow/workflows/start/workflow-version.ts";
import type { WorkflowRunRow } from "../../../flow/workflows/workflow-run-columns.ts";
import { redactValues } from "../../../platform/audit/record-audit.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import { groupBy } from "../../../platform/group-by.ts";
import {
  listCapsuleAttempts,
  listCapsuleDecisions,
  listCapsuleEvents,
  listCapsuleItems,
  listCapsuleLogs,
  listCapsuleRuns,
  listCapsuleSteps,
  listCapsuleTransitions,
} from "./capsule-content-queries.ts";
import { nameWorkflow } from "./capsule-queries.ts";

/** The complete content of a workflow run, except its environment's variables. The run is read before its steps. */
export async function readCapsuleContent(ctx: ProjectCtx, run: WorkflowRunRow): Promise<object> {
  const { definition, payload_schema, ...version } = await findWorkflowVersion(ctx, run.project_id, run.version_id);
  const steps = await listCapsuleSteps(ctx, run.id);
  const decisions = await listCapsuleDecisions(ctx, run);
  const { runs, left_out: left_out_runs } = await listCapsuleRuns(ctx, run.id);
  const items = await listCapsuleItems(ctx, run.id);
  const ids = runs.map(({ id }) => id);
  const logs = await listCapsuleLogs(ctx, run, ids);
  const content = {
    workflow: await nameWorkflow(ctx, run.workflow_id),
    version: { id: version.id, version: version.version, ...definition, payload_schema },
    run,
    steps,
    decisions: decisions.rows,
    job_runs: await withHistory(ctx, runs),
    map_items: items.rows,
    logs: logs.rows,
    events: await listCapsuleEvents(ctx, run.id, ids),
    left_out: {
      decisions: decisions.left_out,
      logs: logs.left_out,
      job_runs: left_out_runs,
      map_items: items.left_out,
    },
  };
  return redactSecrets(content) as object;
}

async function withHistory(
  ctx: ProjectCtx,
  runs: Awaited<ReturnType<typeof listCapsuleRuns>>["runs"],
): Promise<object[]> {
  const ids = runs.map(({ id }) => id);
  const attempts = groupBy(await listCapsuleAttempts(ctx, ids), ({ run_id }) => run_id);
  const transitions = groupBy(await listCapsuleTransitions(ctx, ids), ({ run_id }) => run_id);
  return runs.map((run) => ({
    ...run,
    attempts: attempts.get(run.id) ?? [],
    transitions: transitions.get(run.id) ?? [],
  }));
}

/**
 * A capsule leaves the installation, so the values of text fields with a secret's name are redacted; names stay.
 * Numbers stay, because `max_tokens` is no secret. Secrets that a job wrote into other fields or messages are not
 * detected.
 */
function redactSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(redactSecrets);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).map(([name, field]) => [
    name,
    typeof field === "string" && isSecret(name) ? redacted(name, field) : redactSecrets(field),
  ]);
  return Object.fromEntries(fields);
}

function redacted(name: string, field: string): string | undefined {
  return redactValues({ [name]: field })[name];
}

/** `password`, `db_password`, `apiKey`, `X-Api-Key`, `accessToken`; and URLs that may contain one. */
function isSecret(name: string): boolean {
  return SECRET.test(name.replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2").replaceAll("-", "_"));
}

const SECRET =
  /(^|_)(pass(word|wd|phrase)|secret|token|credentials?|authorization|cookie|(api|access|private|secret|signing|encryption)_?key|notify_url)$/i;
