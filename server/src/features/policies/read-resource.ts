import { POLICY_RESOURCES } from "@millrace/contract/access/policies";
import { findTarget } from "../../platform/access/find-target.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { invalid } from "../../platform/errors/errors.ts";

/** Resolves a resource to the id that policies store. An unknown name would protect nothing. */
export async function readResource(ctx: ProjectCtx, type: string, ref: string): Promise<string> {
  if (ref === "*") return ref;
  const kinds = type === "*" ? POLICY_RESOURCES : [type];
  for (const kind of kinds) {
    const found = await findTarget(ctx, kind, ref);
    if (found) return found.id;
  }
  const what = type === "*" ? "anything" : withArticle(type);
  throw invalid(
    "body.resource_id",
    `is not ${what} of this project. Give an id, the slug of a job, workflow or environment, or \`*\` for all`,
    ref,
  );
}

/** `event_trigger` → `an event trigger` */
export function withArticle(type: string): string {
  const name = type.replace("api_key", "API key").replaceAll("_", " ");
  return `${/^[aeiou]/i.test(name) ? "an" : "a"} ${name}`;
}
