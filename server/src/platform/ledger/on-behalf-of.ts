import type { Ctx, ProjectCtx } from "../context.ts";
import type { HeldBatch } from "./take-batch.ts";

/**
 * Acts on behalf of whoever ordered a batch, on nothing that they could not see. What they may do was checked and audited
 * when it was ordered: no event is left in their name afterwards. Pages record who acts by `orderedBy`, since the key here is
 * not one that exists.
 */
export function onBehalfOf(ctx: Ctx, batch: HeldBatch): ProjectCtx {
  const { project_id, environment_id, created_by: name, id } = batch;
  const { access, limits } = batch.access ?? {};
  return {
    ...ctx,
    project_id,
    caller: {
      kind: "api_key",
      key_id: id,
      name,
      project_id,
      environment_id,
      org_id: null,
      scopes: [],
      ...(limits && { limits }),
    },
    ...(access && { access }),
    origin: { request_id: id, ip: "", user_agent: null, base_url: "" },
    session: null,
  };
}
