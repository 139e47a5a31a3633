import type { ProjectCtx } from "../../platform/context.ts";
import { notFound } from "../../platform/errors/errors.ts";
import { type ApiKeyRow, findApiKey } from "./queries.ts";

export async function getApiKey(ctx: ProjectCtx, id: string): Promise<ApiKeyRow> {
  const key = await findApiKey(ctx, id);
  if (!key) throw notFound("API key");
  return key;
}
