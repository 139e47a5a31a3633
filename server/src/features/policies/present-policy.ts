import type { ResourcePolicy, TagPolicy } from "@millrace/contract/policies";
import { actsOnItsResource } from "./acts-on.ts";
import type { PolicyRow, ShownPolicy } from "./queries.ts";

/** As it is recorded; with `matches_anything`, as it is shown. */
export function presentPolicy(row: PolicyRow | ShownPolicy): ResourcePolicy & TagPolicy {
  const { kind, resource_type, resource_id, tag_key, tag_value, ...shared } = row;
  const about = kind === "resource" ? { resource_type, resource_id } : { tag_key, tag_value };
  const acts = "matches_anything" in row && { matches_anything: row.matches_anything && actsOnItsResource(row) };
  return { ...shared, ...about, ...acts } as unknown as ResourcePolicy & TagPolicy;
}
