import type { RunLog } from "@millrace/contract/runs/run-records";
import { Link } from "../../parts/link.tsx";
import { usePlace } from "../../shell/place/place.ts";

/** Links to a line in the log of its run. */
export function RunLink({ line, name }: { line: RunLog; name: string | undefined }) {
  const { at } = usePlace();
  return (
    <p className="flex flex-wrap items-center gap-2">
      {name && <span className="font-medium">{name}</span>}
      <Link href={at(`runs/${line.run_id}`, { tab: "logs", line: line.id })} className="text-accent hover:underline">
        Show in the log of its run
      </Link>
    </p>
  );
}
