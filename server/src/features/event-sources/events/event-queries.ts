import type { SourceEventSummary } from "@millrace/contract/source-events";
import { sql } from "kysely";
import { EVENT_COLUMNS } from "../../../flow/sources/source-rows.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import type { Page } from "../../../platform/listing/page.ts";

export async function listSourceEvents(
  ctx: ProjectCtx,
  source_id: string,
  page: Page,
  status: string | undefined,
): Promise<SourceEventSummary[]> {
  const { rows } = await sql<SourceEventSummary>`
    select ${EVENT_COLUMNS} from source_events e
    where e.project_id = ${ctx.project_id} and e.source_id = ${source_id}
      ${status === undefined ? sql`` : sql`and e.status = ${status}`} ${page.after}
    ${page.orderBy} limit ${page.limit + 1}`.execute(ctx.db);
  return rows;
}
