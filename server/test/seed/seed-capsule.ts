import { writeCapsule } from "../../src/features/workflow-runs/capsules/capsule-routes.ts";
import { newId } from "../../src/platform/ids.ts";
import { runSql, type TestConnection } from "../world/database.ts";
import { synchronous } from "../world/synchronous.ts";

const TIME = "2030-01-01T00:00:00.000Z";

/** The content of a capsule: a run of two steps from another installation. */
export function capsuleContent({ steps = ["a", "b"] } = {}) {
  const common = { type: "job", error: null, cause: null, run_id: null, event_trigger_id: newId(), output: null };
  return {
    workflow: { id: newId(), slug: "order", name: "Order" },
    version: {
      id: newId(),
      version: 3,
      steps: steps.map((step_ref, nth) => ({
        step_ref,
        type: "job",
        depends_on: steps.slice(Math.max(nth - 1, 0), nth),
      })),
    },
    run: {
      id: newId(),
      version: 3,
      status: "completed",
      payload: { seeded: true },
      started_at: TIME,
      finished_at: TIME,
      created_at: TIME,
    },
    steps: steps.map((step_ref) => ({ ...common, step_ref, status: "completed", started_at: TIME, finished_at: TIME })),
    decisions: [],
    job_runs: [],
    logs: [],
    events: [],
    left_out: { decisions: 0, logs: 0 },
  };
}

export function capsuleOf(content: object): string {
  return synchronous(writeCapsule)(content).document;
}

/** Returns its id. */
export async function seedCapsule(connection: TestConnection, project_id: string): Promise<string> {
  const [id, content] = [newId(), capsuleContent()];
  const document = capsuleOf(content);
  await runSql(
    connection,
    `insert into run_capsules (project_id, id, workflow_run_id, workflow_id, workflow_slug, workflow_name, version,
       status, sha256, document, size_bytes, created_by, created_at)
     values ($1, $2, $3, $4, 'order', 'Order', 3, 'completed', $5, $6, $7, 'seed', clock())`,
    [project_id, id, content.run.id, content.workflow.id, "0".repeat(64), document, document.length],
  );
  return id;
}
