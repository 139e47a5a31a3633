import type { Environment } from "@millrace/contract/projects/environments";
import { redactValues } from "../../platform/audit/record-audit.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import type { EnvironmentRow } from "./queries.ts";

type Variables = Record<string, string>;

export function encryptVariables(ctx: ProjectCtx, environment_id: string, variables: Variables): Promise<Buffer> {
  return ctx.encryption.encryptText(
    ctx.db,
    ctx.project_id,
    encryptionContextOf(ctx, environment_id),
    JSON.stringify(variables),
  );
}

export async function decryptVariables(ctx: ProjectCtx, row: EnvironmentRow): Promise<Variables> {
  return JSON.parse(
    await ctx.encryption.decryptText(ctx.db, ctx.project_id, encryptionContextOf(ctx, row.id), row.variables),
  ) as Variables;
}

export async function presentEnvironment(ctx: ProjectCtx, row: EnvironmentRow): Promise<Environment> {
  return { ...row, variables: await decryptVariables(ctx, row) };
}

/** For the audit log: the names of the variables, not their values. */
export function redactEnvironment(environment: Environment): Environment {
  return { ...environment, variables: redactValues(environment.variables) };
}

/** An environment's own variables over its parent's, over its grandparent's: the nearest wins, name by name. */
export function inherit(nearestFirst: readonly Variables[]): Variables {
  return Object.assign({}, ...nearestFirst.toReversed());
}

function encryptionContextOf(ctx: ProjectCtx, environment_id: string): string {
  return `${ctx.project_id}/${environment_id}/variables`;
}
