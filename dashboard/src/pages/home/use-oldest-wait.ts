import type { Run } from "@millrace/contract/runs/runs";
import { useMay } from "../../api/me.ts";
import { type Page, useApi } from "../../api/use-api.ts";
import { useNow } from "../../parts/use-now.ts";
import { usePlace } from "../../shell/place/place.ts";

/** How long the oldest queued run has been due, in milliseconds. Undefined: none is due. */
export function useOldestWait(isOn: boolean): number | undefined {
  const { environmentFilter } = usePlace();
  const query = { status: "pending", order: "asc", limit: 1, environment_id: environmentFilter };
  const { data } = useApi<Page<Run>>("/v1/runs", query, useMay("runs:read") && isOn);
  const now = useNow();
  const run = isOn ? data?.data[0] : undefined;
  const wait = run ? now - Date.parse(run.scheduled_at) : -1;
  return wait < 0 ? undefined : wait;
}
