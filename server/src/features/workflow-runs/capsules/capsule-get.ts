import type { ProjectCtx } from "../../../platform/context.ts";
import { notFound } from "../../../platform/errors/errors.ts";
import { findCapsuleDocument } from "./capsule-queries.ts";

/** Returns the capsule byte for byte as it was exported. */
export async function getCapsule(ctx: ProjectCtx, id: string): Promise<string> {
  const document = await findCapsuleDocument(ctx, id);
  if (document === undefined) throw notFound("capsule");
  return document;
}
