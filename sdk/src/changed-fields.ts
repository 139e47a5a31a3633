import type { ClientCore } from "./client/create-core.ts";

type Fields = Record<string, unknown>;

/** The fields of a definition, as kept by `asKept`, that the service has otherwise. */
export function changedFields(current: Fields, kept: Fields): string[] {
  return Object.keys(kept).filter((name) => !covers(current[name], kept[name]));
}

const REFS: Record<string, string> = {
  job_id: "jobs",
  compensate_job_id: "jobs",
  on_failure_job_id: "jobs",
  workflow_id: "workflows",
  environment_id: "environments",
};

/** As the service keeps it: ids where slugs were sent, and tags as an object. */
export async function asKept(client: ClientCore, value: unknown, name = "steps"): Promise<unknown> {
  if (name === "tags" && Array.isArray(value)) return Object.fromEntries(value.map((tag) => [tag, "true"]));
  const noun = REFS[name];
  if (noun && typeof value === "string") return idOf(client, noun, value);
  // Only steps hold references below: a payload or a schema is compared as it is.
  if (name !== "steps" || typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return Promise.all(value.map((step) => asKept(client, step)));
  const fields = Object.entries(value).map(async ([field, inner]) => [field, await asKept(client, inner, field)]);
  return Object.fromEntries(await Promise.all(fields));
}

function idOf(client: ClientCore, noun: string, slug: string): Promise<string> {
  const found = client.request<{ id: string }>("GET", `/v1/${noun}/${encodeURIComponent(slug)}`);
  return found.then(
    ({ id }) => id,
    () => slug,
  );
}

/** Whether what is there says all that is wanted. A step is shown with every field of its type, so more is no difference. */
function covers(there: unknown, wanted: unknown): boolean {
  if (typeof wanted !== "object" || wanted === null) return there === wanted;
  if (typeof there !== "object" || there === null || Array.isArray(there) !== Array.isArray(wanted)) return false;
  const [has, wants] = [Object.keys(there), Object.keys(wanted)];
  if (!("step_ref" in wanted) && has.length !== wants.length) return false;
  return wants.every((name) => covers((there as Fields)[name], (wanted as Fields)[name]));
}
