import type { Ctx } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import type { Sample } from "../../../platform/metrics/snapshot-gauge.ts";
import type { StateFigure } from "../../../platform/metrics/state-gauges.ts";
import { backlogState } from "./backlog-state.ts";
import { databaseState } from "./database-state.ts";
import { deliveryState } from "./delivery-state.ts";
import { workflowState } from "./workflow-state.ts";

export type StateRow = Sample & { figure: StateFigure };

/** All figures in one statement: one snapshot, and one connection for as long as it takes. */
export async function readState({ db }: Ctx): Promise<StateRow[]> {
  const { rows } = await sql<StateRow>`
    /* prepared */
    with recursive ${backlogState.tables}, ${workflowState.tables}, ${deliveryState.tables}, ${databaseState.tables}
    ${backlogState.rows}
    union all ${workflowState.rows}
    union all ${deliveryState.rows}
    union all ${databaseState.rows}`.execute(db);
  return rows;
}
