import type { EventSource } from "@millrace/contract/event-sources";
import type { ProjectCtx } from "../../platform/context.ts";
import type { SourceRow } from "./queries.ts";

/** Never includes the secret. */
export function presentSource({ origin }: ProjectCtx, { revision: _, ...row }: SourceRow): EventSource {
  const inbound_url = row.signature === "none" ? null : `${origin.base_url}/v1/event-sources/${row.id}/inbound`;
  return { ...row, inbound_url };
}
