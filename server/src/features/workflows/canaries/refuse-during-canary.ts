import type { Ctx } from "../../../platform/context.ts";
import { ApiError } from "../../../platform/errors/errors.ts";
import { findCanary } from "./canary-queries.ts";

/** While a canary is active, it alone decides which version is current. Called with the workflow locked. */
export async function refuseDuringCanary(
  ctx: Ctx,
  { project_id, id }: { project_id: string; id: string },
  remedy = "Promote it or roll it back first, or send activate: false.",
): Promise<void> {
  if ((await findCanary(ctx, project_id, id))?.status !== "active") return;
  throw new ApiError("canary_active", `The workflow has an active canary. ${remedy}`);
}
