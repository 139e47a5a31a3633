import type { ListMapItemsQuery } from "@millrace/contract/step-runs";
import type { ProjectCtx } from "../../../platform/context.ts";
import { presentPage, readPageByNumber } from "../../../platform/listing/page.ts";
import { getStep } from "./get-step.ts";
import { listItemRows } from "./item-queries.ts";

/** The items of a map step, in order by default. Other steps have none. */
export async function listItems(ctx: ProjectCtx, id: string, ref: string, query: ListMapItemsQuery) {
  const step = await getStep(ctx, id, ref);
  const list = `workflow-runs/${step.workflow_run_id}/steps/${step.step_ref}/items`;
  const page = readPageByNumber(ctx, list, { order: "asc", ...query }, "i.item_index");
  const { data, ...rest } = presentPage(ctx, page, await listItemRows(ctx, step, query, page));
  return { ...rest, data: data.map(({ id: _, ...item }) => item) };
}
