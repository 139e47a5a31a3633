import {
  CreateLogDrain,
  ListLogDrainsQuery,
  LogDrain,
  LogDrainList,
  LogDrainTest,
  UpdateLogDrain,
} from "@millrace/contract/deliveries/log-drains";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { notFound } from "../../platform/errors/errors.ts";
import { presentPage, readPage } from "../../platform/listing/page.ts";
import { projectRoute, type Route } from "../../platform/route.ts";
import { drainIssues } from "./check-drain.ts";
import { createDrain } from "./create-drain.ts";
import { getDrain } from "./get-drain.ts";
import { presentDrain } from "./present-drain.ts";
import { listDrains as listRows, lockDrain } from "./queries.ts";
import { testDrain } from "./test-drain.ts";
import { updateDrain } from "./update-drain.ts";

const foundBy = { table: "log_drains", param: "drainID" } as const;

export const logDrainRoutes: Route[] = [
  projectRoute("POST /v1/log-drains", {
    summary: "Create a log drain",
    scope: "drains:write",
    body: CreateLogDrain,
    semanticValidation: drainIssues,
    response: LogDrain,
    status: 201,
    errors: ["grant_too_wide"],
    run: (ctx, { body }) => createDrain(ctx, body),
  }),
  projectRoute("GET /v1/log-drains", {
    summary: "List log drains",
    scope: "drains:read",
    query: ListLogDrainsQuery,
    response: LogDrainList,
    run: (ctx, { query }) => listDrains(ctx, query),
  }),
  projectRoute("GET /v1/log-drains/{drainID}", {
    summary: "Get a log drain",
    scope: "drains:read",
    foundBy,
    response: LogDrain,
    run: (ctx, { params }) => getDrain(ctx, params.drainID),
  }),
  projectRoute("PATCH /v1/log-drains/{drainID}", {
    summary: "Update a log drain",
    scope: "drains:write",
    foundBy,
    body: UpdateLogDrain,
    semanticValidation: drainIssues,
    response: LogDrain,
    errors: ["grant_too_wide"],
    run: (ctx, { params, body }) => updateDrain(ctx, params.drainID, body),
  }),
  projectRoute("DELETE /v1/log-drains/{drainID}", {
    summary: "Delete a log drain",
    scope: "drains:write",
    foundBy,
    run: (ctx, { params }) => deleteDrain(ctx, params.drainID),
  }),
  projectRoute("POST /v1/log-drains/{drainID}/test", {
    summary: "Send a test record to a log drain",
    scope: "drains:write",
    foundBy,
    response: LogDrainTest,
    run: (ctx, { params }) => testDrain(ctx, params.drainID),
  }),
];

async function listDrains(ctx: ProjectCtx, query: ListLogDrainsQuery) {
  const page = readPage(ctx, "log_drains", query, "d");
  const { data, ...rest } = presentPage(ctx, page, await listRows(ctx, page));
  return { data: data.map(presentDrain), ...rest };
}

/** Unsent records are discarded. */
async function deleteDrain(ctx: ProjectCtx, id: string): Promise<undefined> {
  await inTransaction(ctx, async (tx) => {
    const row = await lockDrain(tx, id);
    if (!row) throw notFound("log drain");
    await sql`delete from log_drains where project_id = ${ctx.project_id} and id = ${id}`.execute(tx.db);
    const before = presentDrain(row);
    await recordAudit(tx, { action: "log_drain.deleted", resource_type: "log_drain", resource_id: id, before });
  });
}
