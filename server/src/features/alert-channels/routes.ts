import { isDeepStrictEqual } from "node:util";
import {
  AlertChannel,
  AlertChannelList,
  CreateAlertChannel,
  ListAlertChannelsQuery,
  MAX_ALERT_CHANNELS,
  UpdateAlertChannel,
} from "@millrace/contract/alerts/alert-channels";
import { actorOf } from "../../platform/actor.ts";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { ApiError, invalid } from "../../platform/errors/errors.ts";
import { inUseIssues, throwIssues } from "../../platform/errors/issues.ts";
import { newId } from "../../platform/ids.ts";
import { presentPage, readPage } from "../../platform/listing/page.ts";
import { projectRoute, type Route } from "../../platform/route.ts";
import {
  type ChannelSettings,
  decryptChannelSettings,
  encryptChannelSettings,
} from "../../platform/webhooks/channel-settings.ts";
import { channelIssues, targetOf, withDefaults } from "./check-channel.ts";
import { countChannels, getChannel, listChannels, listRulesOf, lockChannel, presentChannel } from "./queries.ts";

const foundBy = { table: "alert_channels", param: "alertChannelID" } as const;

export const alertChannelRoutes: Route[] = [
  projectRoute("POST /v1/alert-channels", {
    summary: "Create an alert channel",
    scope: "alerts:write",
    body: CreateAlertChannel,
    semanticValidation: channelIssues,
    response: AlertChannel,
    status: 201,
    errors: ["conflict"],
    run: (ctx, { body }) => createChannel(ctx, body),
  }),
  projectRoute("GET /v1/alert-channels", {
    summary: "List alert channels",
    scope: "alerts:read",
    query: ListAlertChannelsQuery,
    response: AlertChannelList,
    run: async (ctx, { query }) => {
      const page = readPage(ctx, "alert-channels", query, "c");
      const { data, ...rest } = presentPage(ctx, page, await listChannels(ctx, page));
      return { data: data.map(presentChannel), ...rest };
    },
  }),
  projectRoute("GET /v1/alert-channels/{alertChannelID}", {
    summary: "Get an alert channel",
    scope: "alerts:read",
    foundBy,
    response: AlertChannel,
    run: (ctx, { params }) => getChannel(ctx, params.alertChannelID),
  }),
  projectRoute("PATCH /v1/alert-channels/{alertChannelID}", {
    summary: "Update an alert channel",
    scope: "alerts:write",
    foundBy,
    body: UpdateAlertChannel,
    response: AlertChannel,
    run: (ctx, { params, body }) => updateChannel(ctx, params.alertChannelID, body),
  }),
  projectRoute("DELETE /v1/alert-channels/{alertChannelID}", {
    summary: "Delete an alert channel that no rule uses",
    scope: "alerts:write",
    foundBy,
    errors: ["conflict"],
    run: (ctx, { params }) => deleteChannel(ctx, params.alertChannelID),
  }),
];

const audited = (id: string) => ({ resource_type: "alert_channel", resource_id: id }) as const;

async function createChannel(ctx: ProjectCtx, body: CreateAlertChannel): Promise<AlertChannel> {
  const { name, kind, enabled = true, project_id: _, ...given } = body;
  throwIssues(channelIssues({ kind, ...given }, ctx));
  const id = newId();
  const settings = withDefaults(kind, given);
  const by = actorOf(ctx.caller);
  return inTransaction(ctx, async (tx) => {
    if ((await countChannels(tx)) >= MAX_ALERT_CHANNELS)
      throw new ApiError("conflict", `A project has at most ${MAX_ALERT_CHANNELS} alert channels.`);
    const encrypted = await encryptChannelSettings(tx, { project_id: tx.project_id, id }, settings);
    await sql`
      insert into alert_channels (project_id, id, name, kind, target, settings, enabled, created_by, created_by_id,
        created_at, updated_at)
      values (${tx.project_id}, ${id}, ${name}, ${kind}, ${targetOf(settings)}, ${encrypted}, ${enabled}, ${by.name},
        ${by.id}, clock(), clock())`.execute(tx.db);
    const after = await getChannel(tx, id);
    await recordAudit(tx, { action: "alert_channel.created", ...audited(id), after });
    return after;
  });
}

async function updateChannel(ctx: ProjectCtx, id: string, body: UpdateAlertChannel): Promise<AlertChannel> {
  return inTransaction(ctx, async (tx) => {
    const row = await lockChannel(tx, id);
    const before = presentChannel(row);
    const { name = row.name, enabled = row.enabled, ...given } = body;
    const known = await decryptChannelSettings(tx, row, row.settings);
    const settings = { ...known, ...given };
    const hasNewSettings = !isDeepStrictEqual(settings, known);
    if (name === row.name && enabled === row.enabled && !hasNewSettings) return before;
    if (hasNewSettings) throwIssues(channelIssues({ kind: row.kind, ...settings }, tx));
    refuseCarriedKey(known, given);
    const encrypted = hasNewSettings ? await encryptChannelSettings(tx, row, settings) : row.settings;
    await sql`
      update alert_channels set name = ${name}, enabled = ${enabled}, target = ${targetOf(settings)},
        settings = ${encrypted}, updated_at = clock()
      where project_id = ${tx.project_id} and id = ${id}`.execute(tx.db);
    const after = await getChannel(tx, id);
    await recordAudit(tx, { action: "alert_channel.updated", ...audited(id), before, after });
    return after;
  });
}

/** Otherwise a caller who changes the URL could have the stored key sent to another host. */
function refuseCarriedKey(known: ChannelSettings, given: ChannelSettings): void {
  if (known.key === undefined || given.key !== undefined || given.url === undefined) return;
  if (new URL(given.url).origin === new URL(known.url ?? "").origin) return;
  throw invalid("body.key", "must be given again if the host of the URL changes", null);
}

/** Rules that lose their last channel would fire without notifying anyone. */
async function deleteChannel(ctx: ProjectCtx, id: string): Promise<undefined> {
  await inTransaction(ctx, async (tx) => {
    const before = presentChannel(await lockChannel(tx, id));
    const rules = (await listRulesOf(tx, id)).map((rule) => ({ ...rule, is_readable: true }));
    throwIssues(
      inUseIssues(rules, "path.alertChannelID", (rule) => `the rule ${rule.name} sends to it`),
      "conflict",
    );
    await sql`delete from alert_channels where project_id = ${tx.project_id} and id = ${id}`.execute(tx.db);
    await recordAudit(tx, { action: "alert_channel.deleted", ...audited(id), before });
  });
}
