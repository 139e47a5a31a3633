import type { Described } from "./described-objects.ts";
import { typeOfSchema } from "./type-of-schema.ts";

/** The payload of each job and workflow by its slug. */
export function payloadTypes({ jobs, workflows }: Described): string {
  return `export type JobPayloads = {\n${fieldsOf(jobs)}};\n\nexport type WorkflowPayloads = {\n${fieldsOf(workflows)}};\n`;
}

function fieldsOf(objects: Described["jobs"]): string {
  return objects
    .map(({ slug, payload_schema }) => `  ${JSON.stringify(slug)}: ${typeOfSchema(payload_schema)};\n`)
    .join("");
}
