import { deleteProject } from "../features/projects/delete-project.ts";
import type { Ctx } from "../platform/context.ts";
import { demoCtx } from "./demo-ctx.ts";

/** The same as deleting the project by its id, for a new user without a credential at hand. */
export async function removeDemo(ctx: Ctx): Promise<undefined> {
  const demo = demoCtx(ctx);
  return deleteProject(demo, demo.project_id);
}
