import { type RawBuilder, sql } from "kysely";
import { LARGEST_RESULT_BYTES } from "../render-template.ts";

/** What an output may have at most, of a map or of a workflow run: more could not be handed to a job. */
export const LARGEST_OUTPUT_BYTES = LARGEST_RESULT_BYTES;

/** What a workflow run `c` gives to the one that started it: by step, the outputs of those that no other depends on. */
export function childOutput(): RawBuilder<unknown> {
  return sql`(
    select coalesce(jsonb_object_agg(t.step_ref, t.output), '{}')
    from workflow_versions v
    join step_runs t on t.project_id = c.project_id and t.workflow_run_id = c.id
    where v.project_id = c.project_id and v.id = c.version_id
      and not exists (select 1 from jsonb_array_elements(v.steps) e where e -> 'depends_on' ? t.step_ref))`;
}
