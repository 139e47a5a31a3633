import { type WorkflowBench, workflowBench } from "../costs/workflow-bench.ts";
import { runSql } from "../world/database.ts";
import type { TestProject, World } from "../world/world.ts";

export type Saga = {
  project: TestProject;
  bench: WorkflowBench;
  /** The job that runs all compensations. */
  undo: string;
  newJob: (name: string, fields?: object) => Promise<string>;
  /** reserve → charge → ship, each with a compensation. */
  steps: () => { step_ref: string; [field: string]: unknown }[];
  /** Makes the job runs of these steps, or compensations, fail. */
  failing: (...refs: string[]) => void;
  /** The compensations in the order of their dispatch. */
  undone: () => string[];
  operate: (id: string, operation: string, body?: object) => ReturnType<TestProject["api"]["post"]>;
  /** The decisions of a workflow run, as `type step`. */
  decided: (id: string, type?: string) => Promise<string[]>;
};

/** A project with a bench and a compensation job. */
export async function makeSaga(world: World): Promise<Saga> {
  const project = await world.project();
  const bench = await workflowBench(world, project);
  const newJob = async (name: string, fields: object = {}): Promise<string> => {
    const job = { name, endpoint_url: bench.endpoint.url, max_attempts: 1, ...fields };
    return (await project.api.post("/v1/jobs", job)).body.id;
  };
  const undo = await newJob("Undo");
  return {
    project,
    bench,
    undo,
    newJob,
    steps: () => [
      { step_ref: "reserve", compensate_job_id: undo },
      { step_ref: "charge", depends_on: ["reserve"], compensate_job_id: undo },
      { step_ref: "ship", depends_on: ["charge"], compensate_job_id: undo },
    ],
    failing: (...refs) => {
      for (const ref of refs) bench.onDispatch(ref, () => ({ status: 422, body: { error: `no ${ref}` } }));
    },
    undone: () => bench.refs().filter((ref) => ref.endsWith(":compensate")),
    operate: (id, operation, body = {}) => project.api.post(`/v1/workflow-runs/${id}/${operation}`, body),
    decided: async (id, type) => {
      const rows = await runSql<{ step_ref: string | null; decision_type: string }>(
        world.connection,
        "select step_ref, decision_type from workflow_decisions where workflow_run_id = $1 order by ordinal",
        [id],
      );
      return rows
        .filter((row) => type === undefined || row.decision_type === type)
        .map((row) => `${row.decision_type} ${row.step_ref ?? ""}`.trim());
    },
  };
}
