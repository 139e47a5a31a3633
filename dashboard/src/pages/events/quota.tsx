import type { Project } from "@millrace/contract/projects/projects";
import { useMay } from "../../api/me.ts";
import { useApi } from "../../api/use-api.ts";
import { Progress } from "../../parts/chart/progress.tsx";
import { formatShort } from "../../parts/format.ts";
import { Tooltip } from "../../parts/overlay/tooltip.tsx";
import { usePlace } from "../../shell/place/place.ts";

/** Used and allowed waits. A project without its own quota has the default of the service. */
export function Quota({ waiting }: { waiting: number | undefined }) {
  const { project } = usePlace();
  const { data } = useApi<Project>(`/v1/projects/${encodeURIComponent(project)}`, {}, useMay("projects:read"));
  const max = data?.max_active_event_triggers;
  if (waiting === undefined || !max) return null;
  return (
    <Tooltip label={`${waiting} of ${max} open waits used in this project`}>
      <span className="flex flex-none items-center gap-2 whitespace-nowrap text-ink-2 text-xs max-sm:hidden">
        <span className="w-20 flex-none">
          <Progress label="Open waits" value={Math.min(waiting, max)} total={max} />
        </span>
        {formatShort(waiting)} of {formatShort(max)}
      </span>
    </Tooltip>
  );
}
