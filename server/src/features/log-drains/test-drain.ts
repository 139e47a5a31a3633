import type { LogDrainTest } from "@millrace/contract/log-drains";
import type { ProjectCtx } from "../../platform/context.ts";
import { notFound } from "../../platform/errors/errors.ts";
import { formatRecords } from "./format-records.ts";
import { ownRecord } from "./own-record.ts";
import { findDrain } from "./queries.ts";
import type { LogRecord } from "./read-records.ts";
import { sendRecords } from "./send-records.ts";

/** Sends one record as the drain would, and returns the result. Waiting records are not affected. */
export async function testDrain(ctx: ProjectCtx, id: string): Promise<LogDrainTest> {
  const drain = await findDrain(ctx, id);
  if (!drain) throw notFound("log drain");
  const formatted = formatRecords(drain.format, [testRecord(ctx, drain.environment_id)]);
  const receipt = await sendRecords(ctx, drain, formatted);
  if (receipt.kind === "stopped") {
    return { delivered: false, status_code: null, duration_ms: 0, error: "The service stopped.", sent: formatted.body };
  }
  return {
    delivered: receipt.kind === "taken",
    status_code: receipt.status_code,
    duration_ms: Math.round(receipt.duration_ms),
    error: receipt.kind === "taken" ? null : receipt.error,
    sent: formatted.body,
  };
}

function testRecord(ctx: ProjectCtx, environment_id: string | null): LogRecord {
  const content = { level: "info", message: "A test record for this log drain." } as const;
  const fields = { test: true, by: ctx.caller.name };
  return ownRecord(ctx, { project_id: ctx.project_id, environment_id, ...content, fields });
}
