import type { LogDrainTest } from "@millrace/contract/deliveries/log-drains";
import type { ProjectCtx } from "../../platform/context.ts";
import { notFound } from "../../platform/errors/errors.ts";
import { formatRecords } from "./logs/format-records.ts";
import { ownRecord } from "./logs/own-record.ts";
import { formatMetrics } from "./metrics/metrics.ts";
import { readFigures } from "./metrics/read-figures.ts";
import { type DrainRow, findDrain } from "./queries.ts";
import { type Request, sendRecords } from "./send-records.ts";
import type { Formatted } from "./signal.ts";
import { formatTestSpan } from "./traces/spans.ts";

/** Sends one record as the drain would, and returns the result. Waiting records are not affected. */
export async function testDrain(ctx: ProjectCtx, id: string): Promise<LogDrainTest> {
  const drain = await findDrain(ctx, id);
  if (!drain) throw notFound("log drain");
  const { content_type, body } = await testBody(ctx, drain);
  const sent = body.toString();
  const receipt = await sendRecords(ctx, drain, { content_type, body: Buffer.from(sent) });
  if (receipt.kind === "stopped") {
    return { delivered: false, status_code: null, duration_ms: 0, error: "The service stopped.", sent };
  }
  return {
    delivered: receipt.kind === "taken",
    status_code: receipt.status_code,
    duration_ms: Math.round(receipt.duration_ms),
    error: receipt.kind === "taken" ? null : receipt.error,
    sent,
  };
}

/** A log line, a span, or the figures of now. */
async function testBody(ctx: ProjectCtx, drain: DrainRow): Promise<Formatted | Request> {
  const { project_id, environment_id } = drain;
  const fields = { test: true, by: ctx.caller.name };
  switch (drain.signal) {
    case "logs": {
      const content = { level: "info", message: "A test record for this log drain." } as const;
      return formatRecords(drain.format, [ownRecord(ctx, { project_id, environment_id, ...content, fields })]);
    }
    case "traces":
      return formatTestSpan(project_id, ctx.watch.nowMs(), fields);
    case "metrics":
      return formatMetrics(project_id, (await readFigures(ctx, { ...drain, position: 0 })).records);
  }
}
