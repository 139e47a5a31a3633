import type { System } from "@millrace/contract/system";
import { useMemo } from "react";
import { Time } from "../../parts/time.tsx";
import { FigureTable } from "../of-analytics/figure-table.tsx";
import { count } from "../of-analytics/figures.tsx";
import { type Sample, sumOf } from "./parse-metrics.ts";

type Duty = {
  name: string;
  turns: number;
  failed: number;
  leader: string | null;
  ended_at: string | null;
  next_due_at: string | null;
};

/** What is done in the background: by this instance, or by the one that leads it. */
export function Duties({ samples, system }: { samples: Sample[] | undefined; system: System | undefined }) {
  const rows = useMemo(() => (samples && system ? dutiesOf(samples, system) : undefined), [samples, system]);
  return (
    <FigureTable
      title="Duties"
      rows={rows}
      rowKey={({ name }) => name}
      none="No duty has had a turn here yet"
      figures={[
        { header: "Duty", isText: true, value: ({ name }: Duty) => name },
        { header: "Led by", isText: true, value: ({ leader }) => leader ?? "each" },
        { header: "Last turn", value: ({ ended_at }) => ended_at, show: ({ ended_at }) => <Time at={ended_at} /> },
        {
          header: "Next",
          value: ({ next_due_at }) => next_due_at,
          show: ({ next_due_at }) => <Time at={next_due_at} />,
        },
        count<Duty>("Turns", ({ turns }) => turns),
        count<Duty>("Failed", ({ failed }) => failed),
      ]}
    />
  );
}

function dutiesOf(samples: Sample[], { duties, instances }: System): Duty[] {
  const here = samples.filter(({ name }) => name === "millrace_duty_runs_total").map(({ labels }) => labels.duty ?? "");
  const led = new Map(duties.map((duty) => [duty.name, duty]));
  return [...new Set([...led.keys(), ...here])].sort().map((name) => {
    const duty = led.get(name);
    const of = (isWanted: (outcome: string | undefined) => boolean) =>
      sumOf(samples, "millrace_duty_runs_total", (labels) => labels.duty === name && isWanted(labels.outcome));
    return {
      name,
      turns: of(() => true),
      failed: of((outcome) => outcome === "failed" || outcome === "error"),
      leader: duty ? (instances.find(({ id }) => id === duty.holder)?.address ?? "an instance that is gone") : null,
      ended_at: duty?.ended_at ?? null,
      next_due_at: duty?.next_due_at ?? null,
    };
  });
}
