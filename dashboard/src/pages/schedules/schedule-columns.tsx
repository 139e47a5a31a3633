import type { Schedule } from "@millrace/contract/jobs/schedules";
import { History, Pause, Pencil, Play, Trash2, Zap } from "lucide-react";
import { IconButton } from "../../parts/form/icon-button.tsx";
import { Link } from "../../parts/link.tsx";
import { Badge } from "../../parts/state/badge.tsx";
import { StatusMark } from "../../parts/state/status-mark.tsx";
import type { Column } from "../../parts/table/table-columns.tsx";
import { Time } from "../../parts/time.tsx";
import { usePlace } from "../../shell/place/place.ts";
import { cronWords } from "../cron-words.ts";

export type NameOf = (schedule: Schedule) => string;

type Given = {
  nameOf: NameOf;
  noWrite: string | undefined;
  noTrigger: string | undefined;
  onRun: (schedule: Schedule) => void;
  onToggle: (schedule: Schedule) => void;
  onAct: (dialog: "edit" | "backfill" | "delete", schedule: Schedule) => void;
};

export function scheduleColumns(given: Given): Column<Schedule>[] {
  return [
    {
      id: "state",
      header: "State",
      width: "96px",
      isFixed: true,
      narrow: "meta",
      cell: ({ paused }) => (
        <StatusMark {...(paused ? { status: "paused", label: "Paused" } : { status: "ok", label: "Active" })} />
      ),
    },
    {
      id: "starts",
      header: "Target",
      width: "minmax(180px, 2fr)",
      isFixed: true,
      narrow: "title",
      cell: (schedule) => <Target schedule={schedule} name={given.nameOf(schedule)} />,
    },
    ...TIMES,
    {
      id: "actions",
      header: "",
      width: "160px",
      align: "end",
      narrow: "end",
      cell: (schedule) => <Actions schedule={schedule} {...given} />,
    },
  ];
}

const TIMES: Column<Schedule>[] = [
  {
    id: "times",
    header: "Cron",
    width: "minmax(180px, 1fr)",
    narrow: "meta",
    cell: ({ cron, timezone }) => (
      <span className="block truncate" title={`${cron} in ${timezone}`}>
        {cronWords(cron)} <span className="text-ink-3">{timezone}</span>
      </span>
    ),
  },
  {
    id: "overlap",
    header: "Overlap",
    width: "120px",
    hidePriority: 2,
    cell: ({ overlap_policy }) => <span className="text-ink-2">{overlap_policy.replaceAll("_", " ")}</span>,
  },
  { id: "next", header: "Next run", width: "112px", cell: ({ next_fire_at }) => <Time at={next_fire_at} /> },
  {
    id: "last",
    header: "Last run",
    width: "112px",
    hidePriority: 1,
    cell: ({ last_fired_at }) => <Time at={last_fired_at} />,
  },
];

function Target({ schedule, name }: { schedule: Schedule; name: string }) {
  const { at } = usePlace();
  const page = schedule.job_id
    ? at(`jobs/${schedule.job_id}`, { tab: "schedule" })
    : at(`workflows/${schedule.workflow_id}`, { tab: "triggers" });
  return (
    <span className="flex min-w-0 items-center gap-2">
      <Link href={page} className="max-w-full flex-none truncate font-medium hover:text-accent hover:underline">
        {name || (schedule.job_id ?? schedule.workflow_id)}
      </Link>
      {schedule.name && <span className="truncate text-ink-2">{schedule.name}</span>}
      {schedule.is_default && <Badge>default cron</Badge>}
    </span>
  );
}

const IS_DEFAULT = "This is the cron in the settings of the job or workflow. Change it there.";

function Actions({ schedule, nameOf, noWrite, noTrigger, onRun, onToggle, onAct }: Given & { schedule: Schedule }) {
  const what = schedule.name ?? (nameOf(schedule) || "schedule");
  const noChange = noWrite ?? (schedule.is_default ? IS_DEFAULT : undefined);
  return (
    <span className="inline-flex gap-1">
      <IconButton
        size="small"
        label={`Run ${what} now`}
        disabledReason={noTrigger}
        icon={<Zap size={13} />}
        onClick={() => onRun(schedule)}
      />
      <IconButton
        size="small"
        label={`${schedule.paused ? "Resume" : "Pause"} ${what}`}
        disabledReason={noWrite}
        icon={schedule.paused ? <Play size={13} /> : <Pause size={13} />}
        onClick={() => onToggle(schedule)}
      />
      <IconButton
        size="small"
        label={`Backfill ${what}`}
        disabledReason={noTrigger}
        icon={<History size={13} />}
        onClick={() => onAct("backfill", schedule)}
      />
      <IconButton
        size="small"
        label={`Edit ${what}`}
        disabledReason={noChange}
        icon={<Pencil size={13} />}
        onClick={() => onAct("edit", schedule)}
      />
      <IconButton
        size="small"
        label={`Delete ${what}`}
        disabledReason={noChange}
        icon={<Trash2 size={13} />}
        onClick={() => onAct("delete", schedule)}
      />
    </span>
  );
}
