import type { System } from "@millrace/contract/service/system";
import { useMemo } from "react";
import { Time } from "../../parts/time.tsx";
import { FigureTable } from "../shared-analytics/figure-table.tsx";
import { count } from "../shared-analytics/figures.tsx";
import { type Sample, sumOf } from "./parse-metrics.ts";

type BackgroundTask = {
  name: string;
  passes: number;
  failed: number;
  leader: string | null;
  ended_at: string | null;
  next_due_at: string | null;
};

/** Background tasks of this instance, and those run by their leader. */
export function BackgroundTasks({ samples, system }: { samples: Sample[] | undefined; system: System | undefined }) {
  const rows = useMemo(() => (samples && system ? tasksOf(samples, system) : undefined), [samples, system]);
  return (
    <FigureTable
      title="Background tasks"
      rows={rows}
      rowKey={({ name }) => name}
      none="No background task has run on this instance yet"
      figures={[
        { header: "Task", isText: true, value: ({ name }: BackgroundTask) => name },
        { header: "Leader", isText: true, value: ({ leader }) => leader ?? "all instances" },
        { header: "Last run", value: ({ ended_at }) => ended_at, show: ({ ended_at }) => <Time at={ended_at} /> },
        {
          header: "Next run",
          value: ({ next_due_at }) => next_due_at,
          show: ({ next_due_at }) => <Time at={next_due_at} />,
        },
        count<BackgroundTask>("Runs", ({ passes }) => passes),
        count<BackgroundTask>("Failed", ({ failed }) => failed),
      ]}
    />
  );
}

function tasksOf(samples: Sample[], { tasks, instances }: System): BackgroundTask[] {
  const here = samples.filter(({ name }) => name === "millrace_task_runs_total").map(({ labels }) => labels.task ?? "");
  const led = new Map(tasks.map((task) => [task.name, task]));
  return [...new Set([...led.keys(), ...here])].sort().map((name) => {
    const task = led.get(name);
    const of = (isWanted: (outcome: string | undefined) => boolean) =>
      sumOf(samples, "millrace_task_runs_total", (labels) => labels.task === name && isWanted(labels.outcome));
    return {
      name,
      passes: of(() => true),
      failed: of((outcome) => outcome === "failed" || outcome === "error"),
      leader: task ? (instances.find(({ id }) => id === task.holder)?.address ?? "unknown instance") : null,
      ended_at: task?.ended_at ?? null,
      next_due_at: task?.next_due_at ?? null,
    };
  });
}
