import type { Ctx, ProjectCtx } from "../context.ts";
import type { HeldBatch } from "./take-batch.ts";

/**
 * Acts as the one who ordered a batch: by his name, and on nothing that he could not see. What he might do was asked when
 * he ordered it, and audited then: no event is left in his name afterwards.
 */
export function actingFor(ctx: Ctx, batch: HeldBatch): ProjectCtx {
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
