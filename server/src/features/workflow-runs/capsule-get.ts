import type { ProjectCtx } from "../../platform/context.ts";
import { notFound } from "../../platform/errors.ts";
import { findCapsuleDocument } from "./capsule-queries.ts";

/** The capsule as it was exported, to the byte. */
export async function getCapsule(ctx: ProjectCtx, id: string): Promise<string> {
  const document = await findCapsuleDocument(ctx, id);
  if (document === undefined) throw notFound("capsule");
  return document;
}
