import type { ListRunLogsQuery } from "@millrace/contract/run-records";
import type { ProjectCtx } from "../../../platform/context.ts";
import { type Page, presentPage, readPage } from "../../../platform/listing/page.ts";
import { getRun } from "../get-run.ts";

/** One kind of record that runs report. */
type Kind<T> = {
  name: string;
  read: (ctx: ProjectCtx, of: { run_id: string; level?: string | undefined }, page: Page) => Promise<T[]>;
  query: ListRunLogsQuery;
};

/** Returns a page of a run's records, oldest first by default. */
export async function listRecords<T extends { id: string; created_at: string }>(
  ctx: ProjectCtx,
  id: string,
  { name, read, query }: Kind<T>,
) {
  const run = await getRun(ctx, id);
  const page = readPage(ctx, `runs/${run.id}/${name}`, { order: "asc", ...query }, "t");
  return presentPage(ctx, page, await read(ctx, { run_id: run.id, level: query.level }, page));
}
