import type { RunLog } from "@millrace/contract/runs/run-records";
import { cx } from "../../parts/class-names.ts";
import { formatInstant } from "../../parts/format.ts";
import { useSettings } from "../../parts/settings.ts";
import type { Column } from "../../parts/table/table-columns.tsx";

const LOOKS: Record<string, string> = {
  debug: "text-ink-3",
  info: "text-ink-2",
  warn: "text-retrying-ink",
  error: "text-failed-ink",
};

export function logColumns(nameOf: (jobId: string) => string): Column<RunLog>[] {
  return [
    {
      id: "time",
      header: "Time",
      width: "236px",
      isFixed: true,
      narrow: "meta",
      cell: ({ logged_at }) => <At at={logged_at} />,
    },
    {
      id: "level",
      header: "Level",
      width: "64px",
      isFixed: true,
      narrow: "meta",
      cell: ({ level }) => <span className={cx("font-mono text-xs uppercase", LOOKS[level])}>{level}</span>,
    },
    {
      id: "message",
      header: "Message",
      width: "minmax(240px, 3fr)",
      isFixed: true,
      narrow: "title",
      cell: ({ message, fields, level }) => (
        <span className="block truncate font-mono text-xs">
          <span className={level === "error" ? "text-failed-ink" : "text-ink"}>
            {message.split("\n")[0]?.slice(0, 400)}
          </span>
          {fields && <span className="ml-3 text-ink-3">{JSON.stringify(fields).slice(0, 200)}</span>}
        </span>
      ),
    },
    {
      id: "job",
      header: "Job",
      width: "minmax(100px, 0.7fr)",
      hidePriority: 1,
      cell: ({ job_id }) => <span className="block truncate text-ink-2">{nameOf(job_id)}</span>,
    },
  ];
}

function At({ at }: { at: string }) {
  const { zone } = useSettings();
  return <span className="truncate font-mono text-ink-2 text-xs">{formatInstant(at, zone)}</span>;
}
