import type { Ctx } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { derivedId } from "../../platform/derived-id.ts";
import { formatUsd } from "../../platform/format-usd.ts";
import { type MailOutcome, sendMail } from "../../platform/outgoing/send-mail.ts";
import { presentUsage, readUsage, STILL_HAS_ACCESS, type UsageRow } from "./queries.ts";

const PAGE = 10;
const LEASE_MINUTES = 5; // longer than sending a page takes
const DELAYS_MINUTES = [1, 5, 30, 120, 360, 720, 1_440];

/** An e-mail is due. */
export const HAS_DUE_EMAILS = sql`(
  select e.project_id from usage_emails e where e.status = 'pending' and e.next_try_at <= clock()
  order by e.next_try_at limit 1) is not null`;

type UsageEmail = {
  project_id: string;
  period_starts_at: string;
  email: string;
  tries: number;
  project_name: string;
  is_wanted: boolean;
};

/**
 * Sends due e-mails, a page at a time, on any instance; a lease reserves a row for one of them. If an instance crashes
 * between the server's acceptance and our update, the message is sent again with the same Message-ID.
 */
export async function sendUsageEmails(ctx: Ctx): Promise<boolean> {
  if (!ctx.config.mail) return false;
  const emails = await takeDue(ctx);
  for (const email of emails) {
    const outcome = email.is_wanted ? await send(ctx, email) : "unwanted";
    await settle(ctx, email, outcome);
  }
  return emails.length === PAGE;
}

async function takeDue(ctx: Ctx): Promise<UsageEmail[]> {
  const { rows } = await sql<UsageEmail>`
    with due as materialized (
      select project_id, period_starts_at, email from usage_emails
      where status = 'pending' and next_try_at <= clock()
      order by next_try_at limit ${PAGE} for update skip locked
    )
    update usage_emails e set tries = e.tries + 1, next_try_at = clock() + ${LEASE_MINUTES} * interval '1 minute'
    from due d, projects o
    where e.project_id = d.project_id and e.period_starts_at = d.period_starts_at and e.email = d.email
      and o.id = d.project_id
    returning e.project_id, e.period_starts_at, e.email, e.tries, o.name as project_name,
      o.deleted_at is null and exists (
        select 1 from usage_email_preferences p
        where p.project_id = e.project_id and p.email = e.email and p.monthly_usage_email and ${STILL_HAS_ACCESS}) as is_wanted`.execute(
    ctx.db,
  );
  return rows;
}

async function send(ctx: Ctx, email: UsageEmail): Promise<MailOutcome> {
  const usage = await readUsage(ctx, email.project_id, email.period_starts_at);
  const id = derivedId("usage-email", email.project_id, email.period_starts_at, email.email);
  return sendMail(ctx, {
    to: email.email,
    message_id: `<${id}@millrace>`,
    ...writeUsageEmail(email.project_name, usage),
  });
}

/** Checks the try number, so that an instance whose lease expired updates nothing. */
async function settle(ctx: Ctx, email: UsageEmail, outcome: MailOutcome | "unwanted"): Promise<void> {
  const { project_id, period_starts_at, tries } = email;
  const own = sql`project_id = ${project_id} and period_starts_at = ${period_starts_at} and email = ${email.email}
    and status = 'pending' and tries = ${tries}`;
  if (outcome === "unwanted") {
    await sql`delete from usage_emails where project_id = ${project_id} and ${own}`.execute(ctx.db);
    return;
  }
  const delay = DELAYS_MINUTES[tries - 1];
  const to = outcome.ok ? "sent" : outcome.is_final || delay === undefined ? "failed" : "pending";
  const error = outcome.ok ? null : outcome.message;
  await sql`
    update usage_emails set prev_status = status, status = ${to}, error = ${error},
      sent_at = case when ${to} = 'sent' then clock() end,
      next_try_at = clock() + ${delay ?? 0} * interval '1 minute'
    where project_id = ${project_id} and ${own}`.execute(ctx.db);
  if (to === "failed") ctx.log.warn({ project_id, reason: error }, "usage e-mail failed permanently");
}

/** Plain text: every client shows it, and it cannot contain markup. */
function writeUsageEmail(projectName: string, row: UsageRow): { subject: string; text: string } {
  const usage = presentUsage(row);
  const month = monthOf(usage.period_starts_at);
  const { runs } = usage;
  const lines = [
    `Usage of the project ${oneLine(projectName)} in ${month} (UTC):`,
    "",
    `Runs             ${runs.total}`,
    `  completed      ${runs.completed}`,
    `  failed         ${runs.failed}`,
    `  timed out      ${runs.timed_out}`,
    `  canceled       ${runs.canceled}`,
    `Dispatches       ${usage.dispatches}`,
    `Compute time     ${usage.compute_seconds} s`,
    `Input tokens     ${usage.input_tokens}`,
    `Output tokens    ${usage.output_tokens}`,
    `Compute cost     ${formatUsd(usage.compute_microusd)}`,
    `Reported cost    ${formatUsd(usage.reported_microusd)}`,
    `Total cost       ${formatUsd(usage.cost_microusd)}`,
    "",
    "You receive this e-mail because you subscribed to it. To unsubscribe, send",
    'PUT /v1/usage/email-preferences with {"monthly_usage_email": false}.',
  ];
  return { subject: `Usage of ${oneLine(projectName)} in ${month}`, text: `${lines.join("\n")}\n` };
}

function monthOf(iso: string): string {
  return new Date(iso).toLocaleDateString("en-US", { month: "long", year: "numeric", timeZone: "UTC" });
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ");
}
