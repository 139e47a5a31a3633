import { type Receipt, receiptsOf } from "@millrace/contract/schema/receipts";
import type { TSchema } from "typebox";
import { findTarget } from "../../platform/access/find-target.ts";
import { decide } from "../../platform/access/policies/decide.ts";
import { readDeniedRuns, visibleTrigger } from "../../platform/access/policies/denied-runs.ts";
import { readAccess } from "../../platform/access/policies/policies.ts";
import { visibleSchedule } from "../../platform/access/policies/visibility.ts";
import type { Access, CallerCtx, ProjectCtx } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import type { Route } from "../../platform/route.ts";

type Fields = Record<string, unknown>;

/**
 * The receipts that a route may return instead of the object. A route that requires the reading scope itself has none.
 */
export function receiptsFor({ auth, method }: Route, response: TSchema | undefined): readonly Receipt[] {
  if (method === "GET" || (auth.kind !== "project" && auth.kind !== "caller")) return [];
  return receiptsOf(response).filter(({ scope }) => scope !== auth.scope);
}

/** The receipt for a caller who may not read the result; undefined: the result is shown. */
export function receiptInstead(
  ctx: CallerCtx | ProjectCtx,
  receipts: readonly Receipt[],
  response: Fields,
): Receipt | undefined | Promise<Receipt | undefined> {
  const receipt = receipts.length > 1 ? receipts.find((each) => isOf(each, response)) : receipts[0];
  if (!receipt) return undefined;
  const project_id = "project_id" in ctx ? ctx.project_id : String(response.project_id ?? response.id);
  const access = readAccess(ctx, ctx.caller, project_id, receipt.scope);
  const isUnrestricted = !(access instanceof Promise) && access.isHeld && access.policies.length === 0;
  // Of a trigger, the runs that it waits for may be denied.
  if (isUnrestricted && receipt.of?.type !== "event_trigger") return undefined;
  return receiptForReader({ ctx, project_id, access, receipt, response });
}

type Reading = {
  ctx: CallerCtx | ProjectCtx;
  project_id: string;
  access: Access | Promise<Access>;
  receipt: Receipt;
  response: Fields;
};

async function receiptForReader({ ctx, project_id, access, receipt, response }: Reading): Promise<Receipt | undefined> {
  const read = await access;
  const reader = { ...ctx, project_id, access: read };
  const isOfDenied = receipt.of?.type === "event_trigger" && (await readDeniedRuns(reader)) !== undefined;
  // The environment and the limits of the caller were checked before.
  if (read.policies.length === 0 && !isOfDenied) return read.isHeld ? undefined : receipt;
  if (isOfDenied && receipt.of?.id === "*") return receipt;
  return (await mayRead(reader, receipt, response)) ? undefined : receipt;
}

/** Whether a receipt fits the response, which is either a run or a workflow run. */
function isOf({ of }: Receipt, response: Fields): boolean {
  return (of?.type === "run") === "job_id" in response;
}

async function mayRead(ctx: ProjectCtx & { access: Access }, { of }: Receipt, response: Fields): Promise<boolean> {
  if (of?.id === "*") return ctx.access.isHeld && !ctx.access.policies.some(({ effect }) => effect === "deny");
  const id = String(response[of?.id ?? "id"] ?? "");
  if (of === undefined) return decide(ctx.access, { type: "", id }).allowed;
  // From the response: the object of a dry run is not stored.
  if (of.type === "run" || (of.type === "workflow_run" && of.id === "id")) {
    return decide(ctx.access, { ...response, type: of.type, id }).allowed;
  }
  if (of.type === "schedule") return isVisibleSchedule(ctx, id);
  if (of.type === "event_trigger") return isVisibleTrigger(ctx, id);
  const target = await findTarget(ctx, of.type, id);
  return target !== undefined && decide(ctx.access, target).allowed;
}

async function isVisibleSchedule(ctx: ProjectCtx, id: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from schedules s
    where s.project_id = ${ctx.project_id} and s.id = ${id} and ${visibleSchedule(ctx, "s")}`.execute(ctx.db);
  return rows.length > 0;
}

async function isVisibleTrigger(ctx: ProjectCtx, id: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from event_triggers t
    where t.project_id = ${ctx.project_id} and t.id = ${id} and ${await visibleTrigger(ctx, "t")}`.execute(ctx.db);
  return rows.length > 0;
}

/** Reduces a response to the fields of its receipt, for a caller who may not read the object. */
export function reduceTo({ schema }: Receipt, response: Fields): Fields {
  return Object.fromEntries(Object.keys(schema.properties).flatMap((name) => pick(response, name)));
}

function pick(response: Fields, name: string): [string, unknown][] {
  return name in response ? [[name, response[name]]] : [];
}
