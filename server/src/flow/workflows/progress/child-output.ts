import { type RawBuilder, sql } from "kysely";
import { LARGEST_RESULT_BYTES } from "../../templates/render-template.ts";

/** The maximum size of the output of a map or a workflow run: a larger one could not be passed to a job. */
export const LARGEST_OUTPUT_BYTES = LARGEST_RESULT_BYTES;

/** The output of a workflow run `c` for its parent: by step, the outputs of the steps without dependents. */
export function childOutput(): RawBuilder<unknown> {
  return sql`(
    select coalesce(jsonb_object_agg(t.step_ref, t.output), '{}')
    from workflow_versions v
    join step_runs t on t.project_id = c.project_id and t.workflow_run_id = c.id
    where v.project_id = c.project_id and v.id = c.version_id
      and not exists (select 1 from jsonb_array_elements(v.steps) e where e -> 'depends_on' ? t.step_ref))`;
}
