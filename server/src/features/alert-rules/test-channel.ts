import type { AlertChannelTest } from "@millrace/contract/alerts/alert-channels";
import type { ProjectCtx } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { notFound } from "../../platform/errors/errors.ts";
import { isId } from "../../platform/ids.ts";
import { defaultsOf } from "./check-rule.ts";
import { notifyChannels } from "./notify/notify-channels.ts";
import { sampleAlert } from "./test-rule.ts";
import { unsavedRule } from "./unsaved-rule.ts";

/** Sends a test notification about a rule that does not exist. */
export async function testChannel(ctx: ProjectCtx, id: string): Promise<AlertChannelTest> {
  const now = new Date(ctx.watch.nowMs()).toISOString();
  return inTransaction(ctx, async (tx) => {
    const { rows } = await sql<{ name: string }>`
      select c.name from alert_channels c where c.project_id = ${tx.project_id} and c.id = ${isId(id) ? id : null}`.execute(
      tx.db,
    );
    const [channel] = rows;
    if (!channel) throw notFound("alert channel");
    const settings = { ...defaultsOf("queue_depth"), name: channel.name, channel_ids: [id] };
    const rule = unsavedRule(tx.project_id, { ...settings, runbook: "Nothing: this channel works." });
    const reading = { value: null, isBreached: false, detail: {} };
    const alert = sampleAlert(rule, reading, "A test of this channel.", now);
    return { delivery_ids: await notifyChannels(tx, rule, alert, "alert.test") };
  });
}
