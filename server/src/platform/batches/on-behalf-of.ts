import type { Ctx, ProjectCtx } from "../context.ts";
import type { HeldBatch } from "./claim-batch.ts";

/**
 * Runs with the permissions of the batch's creator, restricted to what they could see. Their permission was checked and
 * audited when the batch was created: later pages record no audit event in their name. Pages record the actor by
 * `orderedBy`, since the key here does not exist.
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
