import {
  CreateOutboxSource,
  ListOutboxSourcesQuery,
  MAX_REFUSED_ROWS,
  OutboxSource,
  OutboxSourceList,
  RefusedRows,
  RetriedRows,
  UpdateOutboxSource,
} from "@millrace/contract/events/outbox-sources";
import type pg from "pg";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { ApiError, notFound } from "../../platform/errors/errors.ts";
import { presentPage, readPage } from "../../platform/listing/page.ts";
import { projectRoute, type Route } from "../../platform/route.ts";
import { explain, readStoredDatabase, withDatabase } from "./application-database.ts";
import { createSource } from "./create-source.ts";
import { readRefused, retryRefused } from "./enqueued-rows.ts";
import { getSource } from "./get-source.ts";
import { findSource, listSources as listRows, lockSource, presentSource } from "./queries.ts";
import { updateSource } from "./update-source.ts";

const foundBy = { table: "outbox_sources", param: "outboxSourceID" } as const;

export const outboxSourceRoutes: Route[] = [
  projectRoute("POST /v1/outbox-sources", {
    summary: "Connect a database whose enqueued rows become runs",
    scope: "outbox:write",
    body: CreateOutboxSource,
    response: OutboxSource,
    status: 201,
    errors: ["grant_too_wide"],
    run: (ctx, { body }) => createSource(ctx, body),
  }),
  projectRoute("GET /v1/outbox-sources", {
    summary: "List outbox sources and their health",
    scope: "outbox:read",
    query: ListOutboxSourcesQuery,
    response: OutboxSourceList,
    run: (ctx, { query }) => listSources(ctx, query),
  }),
  projectRoute("GET /v1/outbox-sources/{outboxSourceID}", {
    summary: "Get an outbox source",
    scope: "outbox:read",
    foundBy,
    response: OutboxSource,
    run: (ctx, { params }) => getSource(ctx, params.outboxSourceID),
  }),
  projectRoute("PATCH /v1/outbox-sources/{outboxSourceID}", {
    summary: "Update an outbox source",
    scope: "outbox:write",
    foundBy,
    body: UpdateOutboxSource,
    response: OutboxSource,
    errors: ["grant_too_wide"],
    run: (ctx, { params, body }) => updateSource(ctx, params.outboxSourceID, body),
  }),
  projectRoute("DELETE /v1/outbox-sources/{outboxSourceID}", {
    summary: "Delete an outbox source; its rows stay in the application's database",
    scope: "outbox:write",
    foundBy,
    run: (ctx, { params }) => deleteSource(ctx, params.outboxSourceID),
  }),
  projectRoute("GET /v1/outbox-sources/{outboxSourceID}/refused", {
    summary: "List the refused rows of an outbox source",
    scope: "outbox:write",
    foundBy,
    response: RefusedRows,
    errors: ["outbox_source_unreachable"],
    run: (ctx, { params }) => listRefused(ctx, params.outboxSourceID),
  }),
  projectRoute("POST /v1/outbox-sources/{outboxSourceID}/retry", {
    summary: "Drain the refused rows of an outbox source again",
    scope: "outbox:write",
    foundBy,
    response: RetriedRows,
    errors: ["outbox_source_unreachable"],
    run: (ctx, { params }) => retryRows(ctx, params.outboxSourceID),
  }),
];

async function listSources(ctx: ProjectCtx, query: ListOutboxSourcesQuery) {
  const page = readPage(ctx, "outbox-sources", query, "o");
  const { data, ...rest } = presentPage(ctx, page, await listRows(ctx, page));
  return { data: data.map(presentSource), ...rest };
}

async function deleteSource(ctx: ProjectCtx, id: string): Promise<undefined> {
  await inTransaction(ctx, async (tx) => {
    const row = await lockSource(tx, id);
    if (!row) throw notFound("outbox source");
    await sql`delete from outbox_sources where project_id = ${ctx.project_id} and id = ${id}`.execute(tx.db);
    const before = presentSource(row);
    await recordAudit(tx, { action: "outbox_source.deleted", resource_type: "outbox_source", resource_id: id, before });
  });
}

async function listRefused(ctx: ProjectCtx, id: string): Promise<RefusedRows> {
  const rows = await inApplication(ctx, id, (client) => readRefused(client, MAX_REFUSED_ROWS + 1));
  return { data: rows.slice(0, MAX_REFUSED_ROWS), has_more: rows.length > MAX_REFUSED_ROWS };
}

async function retryRows(ctx: ProjectCtx, id: string): Promise<RetriedRows> {
  const retried = await inApplication(ctx, id, retryRefused);
  const audited = { action: "outbox_source.retried", resource_type: "outbox_source", resource_id: id } as const;
  await inTransaction(ctx, (tx) => recordAudit(tx, { ...audited, after: { retried } }));
  return { retried };
}

async function inApplication<T>(ctx: ProjectCtx, id: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const row = await findSource(ctx, id);
  if (!row) throw notFound("outbox source");
  try {
    return await withDatabase(ctx, await readStoredDatabase(ctx, row), work);
  } catch (error) {
    throw new ApiError("outbox_source_unreachable", explain(error));
  }
}
