// biome-ignore-all lint/suspicious/noTemplateCurlyInString: pieces of source text, not templates
import type { Mutant } from "./mutant.ts";

/** What a trigger checks before a run is created, and the slots that it takes. */
export const TRIGGER_MUTANTS: Mutant[] = [
  {
    name: "trigger: starts a run of a limited job without checking its limits",
    file: "runs/create/start-locally.ts",
    from: "run.is_job_paused || mustBeClaimed ||",
    to: "run.is_job_paused ||",
    tests: ["flow/runs/create/start-locally.test.ts"],
  },
  {
    name: "trigger: starts more runs than max_concurrency",
    file: "runs/create/new-slots.ts",
    from: "c.active + n.count <= n.max",
    to: "c.active < n.max",
    tests: ["flow/runs/create/start-limited.test.ts"],
  },
  {
    name: "trigger: a new run starts before one that was released for the slot",
    file: "runs/create/new-slots.ts",
    from: "and q.granted_by is not null order by",
    to: "and q.granted_by = '' order by",
    tests: ["flow/runs/create/start-limited.test.ts"],
  },
  {
    name: "trigger: a new run starts before one that is blocked on the limit",
    file: "runs/create/new-slots.ts",
    from: "and q.blocked_on = n.key",
    to: "and q.blocked_on = ''",
    tests: ["flow/runs/create/start-limited.test.ts"],
  },
  {
    name: "trigger: a job that has changed takes slots",
    file: "runs/create/new-slots.ts",
    from: "in (select b.job_id, b.job_revision from batches b)",
    to: "is not null",
    tests: ["flow/runs/create/start-limited.test.ts"],
  },
  {
    name: "trigger: runs that were not created take slots",
    file: "runs/create/new-slots.ts",
    from: "select 1 from run_queue q where q.project_id = n.project_id and q.run_id = n.run_id offset 0",
    to: "select 1 offset 0",
    tests: ["flow/runs/create/start-limited.test.ts"],
  },
  {
    name: "trigger: holds the counter while it creates its runs",
    file: "runs/create/enqueue-with-slots.ts",
    from: "if (lacksOf(ctx).include(needed)) return",
    to: "if (!lacksOf(ctx).include([])) return",
    tests: ["flow/runs/create/start-limited.test.ts"],
  },
  {
    name: "trigger: creates a run from a job that has changed since",
    file: "runs/create/enqueue-runs.ts",
    from: " and j.revision = b.job_revision",
    to: "",
    tests: ["flow/runs/create/trigger-runs.test.ts"],
  },
  {
    name: "trigger: a job of another project is found",
    file: "runs/create/triggerable-job.ts",
    from: "where j.project_id = ${project_id} and ${named}",
    to: "where ${named}",
    tests: ["flow/runs/other-projects.test.ts"],
  },
  {
    name: "idempotency: a key is taken over within its 24 hours",
    file: "runs/create/claim-idempotency-keys.ts",
    from: "    where k.expires_at <= clock()\n",
    to: "",
    tests: ["flow/runs/create/trigger-runs.test.ts", "features/jobs/trigger/trigger-idempotency.test.ts"],
  },
  {
    name: "deduplication: takes no lock on the payload",
    file: "runs/create/trigger-windows.ts",
    from: "await lockKeys(tx, ",
    to: "void (",
    tests: ["flow/runs/create/trigger-runs.test.ts"],
  },
  {
    name: "deduplication: across environments",
    file: "runs/create/trigger-windows.ts",
    from: " and r.environment_id = g.environment_id",
    to: "",
    tests: ["features/jobs/trigger/trigger-windows.test.ts"],
  },
  {
    name: "debounce: changes a run of a job that has changed since",
    file: "runs/create/trigger-windows.ts",
    from: " and j.revision = ${run.job_revision}",
    to: "",
    tests: ["flow/runs/create/trigger-runs.test.ts"],
  },
  {
    name: "spawn: a tree grows beyond its limit",
    file: "runs/create/loop-guards.ts",
    from: "    where t.runs < ${MAX_RUNS_IN_TREE}\n",
    to: "",
    tests: ["flow/runs/create/loop-guards.test.ts"],
  },
];
