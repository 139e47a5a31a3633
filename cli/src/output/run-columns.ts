import { triesOf } from "@millrace/contract/jobs/tries";
import type { Run } from "@millrace/contract/runs/runs";
import { printableText } from "@millrace/contract/schema/printable-text";
import type { Column } from "./print-rows.ts";
import { paintStatus } from "./status.ts";
import { agoOf, tookOf } from "./times.ts";

const MAX_ERROR_LENGTH = 60;

/** Columns of runs, with job slugs instead of ids. */
export function runColumns(names: ReadonlyMap<string, string>): Column<Run>[] {
  return [
    { title: "id", value: ({ id }) => id },
    { title: "job", value: ({ job_id }) => names.get(job_id) ?? job_id },
    { title: "status", value: ({ status }) => status, show: ({ status }, { colors }) => paintStatus(colors, status) },
    { title: "attempts", value: (run) => `${triesOf(run)}/${run.max_attempts}`, isMinor: true },
    {
      title: "created",
      value: ({ created_at }) => created_at,
      show: ({ created_at }) => agoOf(created_at),
      isMinor: true,
    },
    { title: "duration", value: took, show: took, isMinor: true },
    { title: "error", value: ({ error }) => error?.message ?? "", show: shortError },
  ];
}

function took({ started_at, finished_at }: Run): string {
  return started_at !== null && finished_at !== null ? tookOf(started_at, finished_at) : "";
}

function shortError({ error }: Run): string {
  const message = printableText(error?.message.replaceAll(/\s+/g, " ") ?? "");
  return message.length > MAX_ERROR_LENGTH ? `${message.slice(0, MAX_ERROR_LENGTH - 1)}…` : message;
}
