import type { ClientCore } from "./client/create-core.ts";

type Fields = Record<string, unknown>;

/** The fields of a definition, as normalized by `asStored`, that differ in the service. */
export function changedFields(current: Fields, wanted: Fields): string[] {
  return Object.keys(wanted).filter((name) => !covers(current[name], wanted[name]));
}

const REFS: Record<string, string> = {
  job_id: "jobs",
  compensate_job_id: "jobs",
  on_failure_job_id: "jobs",
  workflow_id: "workflows",
  environment_id: "environments",
};

/** Normalizes a definition to the stored form: ids instead of slugs, tags as an object. */
export async function asStored(client: ClientCore, value: unknown, name = "steps"): Promise<unknown> {
  if (name === "tags" && Array.isArray(value)) return Object.fromEntries(value.map((tag) => [tag, "true"]));
  const noun = REFS[name];
  if (noun && typeof value === "string") return idOf(client, noun, value);
  // Only steps contain references; payloads and schemas are compared unchanged.
  if (name !== "steps" || typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return Promise.all(value.map((step) => asStored(client, step)));
  const fields = Object.entries(value).map(async ([field, inner]) => [field, await asStored(client, inner, field)]);
  return Object.fromEntries(await Promise.all(fields));
}

function idOf(client: ClientCore, noun: string, slug: string): Promise<string> {
  const found = client.request<{ id: string }>("GET", `/v1/${noun}/${encodeURIComponent(slug)}`);
  return found.then(
    ({ id }) => id,
    () => slug,
  );
}

/**
 * Whether the stored value contains everything in the wanted one. Steps are returned with every field of their type,
 * so extra fields do not count as differences.
 */
function covers(there: unknown, wanted: unknown): boolean {
  if (typeof wanted !== "object" || wanted === null) return there === wanted;
  if (typeof there !== "object" || there === null || Array.isArray(there) !== Array.isArray(wanted)) return false;
  const [has, wants] = [Object.keys(there), Object.keys(wanted)];
  if (!("step_ref" in wanted) && has.length !== wants.length) return false;
  return wants.every((name) => covers((there as Fields)[name], (wanted as Fields)[name]));
}
