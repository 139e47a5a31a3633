import type { Project } from "@millrace/contract/projects";
import type { CallerCtx } from "../../platform/context.ts";
import { notFound } from "../../platform/errors/errors.ts";
import { findProject } from "./queries.ts";

export async function getProject(ctx: CallerCtx, ref: string): Promise<Project> {
  const project = await findProject(ctx, ref);
  if (!project) throw notFound("project");
  return project;
}
