import type { SdkMetadata, SdkMetadataBody } from "@millrace/contract/sdk-records";
import { sql } from "kysely";
import type { RunCtx } from "../../../platform/context.ts";
import { inTransaction } from "../../../platform/database/transaction.ts";
import { invalid } from "../../../platform/errors/errors.ts";
import { MAX_TAGS, readTags } from "../create/merge-tags.ts";
import { lockLiveRun } from "./fence.ts";

const MAX_METADATA = 50;

/** Merges tags and metadata into those of the run, name by name. */
export async function reportMetadata(ctx: RunCtx, { tags, metadata }: SdkMetadataBody): Promise<SdkMetadata> {
  return inTransaction(ctx, async (tx) => {
    await lockLiveRun(tx);
    const { rows } = await sql<SdkMetadata>`
      update runs set tags = tags || ${JSON.stringify(readTags(tags))}::jsonb,
        metadata = metadata || ${JSON.stringify(metadata ?? {})}::jsonb, updated_at = clock()
      where project_id = ${tx.project_id} and id = ${tx.run_id} and status = 'running'
      returning tags, metadata`.execute(tx.db);
    if (!rows[0]) throw new Error("the fenced run was not found");
    refuseTooMany("body.tags", rows[0].tags, MAX_TAGS);
    refuseTooMany("body.metadata", rows[0].metadata, MAX_METADATA);
    return rows[0];
  });
}

/** Each call may be small: the limit is on the sum. */
function refuseTooMany(location: string, merged: object, max: number): void {
  const count = Object.keys(merged).length;
  if (count > max) throw invalid(location, `the run would have ${count} of them; at most ${max} are allowed`, null);
}
