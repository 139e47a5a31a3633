import type { LogDrain } from "@millrace/contract/deliveries/log-drains";
import type { ProjectCtx } from "../../platform/context.ts";
import { notFound } from "../../platform/errors/errors.ts";
import { presentDrain } from "./present-drain.ts";
import { findDrain } from "./queries.ts";

export async function getDrain(ctx: ProjectCtx, id: string): Promise<LogDrain> {
  const row = await findDrain(ctx, id);
  if (!row) throw notFound("log drain");
  return presentDrain(row);
}
