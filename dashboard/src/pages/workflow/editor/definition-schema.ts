import type { Slugs } from "./step-form.tsx";

type Schema = Record<string, unknown>;

const INTEGER = { type: "integer", minimum: 1 };

/** The schema of a whole definition, with the names of this project as examples, which are completed. */
export function definitionSchema(step: Schema | null | undefined, slugs: Slugs, refs: readonly string[]): Schema {
  const { properties = {}, ...rest } = (step ?? {}) as { properties?: Record<string, Schema> };
  const named = {
    ...properties,
    job_id: { ...properties.job_id, examples: slugs.jobs },
    compensate_job_id: { ...properties.compensate_job_id, examples: slugs.jobs },
    workflow_id: { ...properties.workflow_id, examples: slugs.workflows },
    depends_on: { ...properties.depends_on, items: { type: "string", examples: refs } },
  };
  return {
    type: "object",
    required: ["steps"],
    additionalProperties: false,
    properties: {
      steps: { type: "array", minItems: 1, items: step ? { ...rest, properties: named } : {} },
      timeout_secs: INTEGER,
      max_parallel_steps: INTEGER,
      payload_schema: { type: "object" },
    },
  };
}
