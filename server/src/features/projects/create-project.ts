import type { CreatedProject, CreateProject } from "@millrace/contract/projects/projects";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import type { CallerCtx } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { newId } from "../../platform/ids.ts";
import { insertDefaultQueue } from "../../platform/new-project/default-queue.ts";
import { insertStandardEnvironments } from "../../platform/new-project/standard-environments.ts";
import { newSigningSecret } from "../../platform/secrets/sign.ts";
import { insertWithSlug } from "../../platform/slug.ts";
import { insertProject, type NewProject } from "./queries.ts";

const DEFAULT_COMPUTE_RATE_MICROUSD_PER_SEC = 20;

/** Creates a project with its own data key, its signing secret (shown once) its standard environments and its queue. */
export async function createProject(
  ctx: CallerCtx,
  body: CreateProject,
  webhook_secret = newSigningSecret(),
): Promise<CreatedProject> {
  const { dataKey, wrapped } = ctx.encryption.newDataKey();
  const id = newId();
  const encrypt = (purpose: string, text: string) => ctx.encryption.encryptWith(dataKey, `${id}/${purpose}`, text);
  const project: Omit<NewProject, "slug"> = {
    id,
    org_id: body.org_id ?? null,
    name: body.name,
    description: body.description ?? null,
    max_active_event_triggers: body.max_active_event_triggers ?? null,
    compute_rate_microusd_per_sec: body.compute_rate_microusd_per_sec ?? DEFAULT_COMPUTE_RATE_MICROUSD_PER_SEC,
    wrapped_data_key: wrapped,
    webhook_secret: encrypt("webhook_secret", webhook_secret),
  };

  return inTransaction(ctx, async (tx) => {
    const created = await insertWithSlug(body, (slug) => insertProject(tx, { ...project, slug }));
    await insertStandardEnvironments(tx, id, encrypt);
    await insertDefaultQueue(tx, id);
    await recordAudit(
      { ...tx, project_id: id },
      { action: "project.created", resource_type: "project", resource_id: id, after: created },
    );
    return { ...created, webhook_secret };
  });
}
