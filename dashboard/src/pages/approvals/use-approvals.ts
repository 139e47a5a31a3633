import type { Approval } from "@millrace/contract/workflows/approvals";
import { useQueryClient } from "@tanstack/react-query";
import { useMay } from "../../api/me.ts";
import { useApiList } from "../../api/use-api.ts";
import { useLive } from "../../live/use-live.ts";
import { usePlace } from "../../shell/place/place.ts";
import { useThrottledRefetch } from "../shared-analytics/use-throttled-refetch.ts";

/** The open approvals of the environment: all of them, or those that the caller may decide. */
export function useApprovals(isMine: boolean, workflow_run_id?: string) {
  const { environmentFilter } = usePlace();
  const query = {
    limit: 100,
    environment_id: environmentFilter,
    ...(isMine && { mine: true }),
    ...(workflow_run_id && { workflow_run_id }),
  };
  const list = useApiList<Approval>("/v1/approvals", query);
  const client = useQueryClient();
  const { plan } = useThrottledRefetch(
    () => void client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[1] === "/v1/approvals" }),
  );
  const topics = useMay("events:read") ? ["events"] : [];
  useLive(topics, ({ object }) => object.wait_kind === "approval" && plan(), plan);
  return { list, query };
}
