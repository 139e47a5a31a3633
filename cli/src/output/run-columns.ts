import type { Run } from "@millrace/contract/runs";
import { triesOf } from "@millrace/contract/tries";
import type { Column } from "./print-rows.ts";
import { printableText } from "./printable-text.ts";
import { paintStatus } from "./status.ts";
import { agoOf, tookOf } from "./times.ts";

const LONGEST_ERROR = 60;

/** How runs are listed. Jobs are named by their slugs. */
export function runColumns(names: ReadonlyMap<string, string>): Column<Run>[] {
  return [
    { title: "id", value: ({ id }) => id },
    { title: "job", value: ({ job_id }) => names.get(job_id) ?? job_id },
    { title: "status", value: ({ status }) => status, show: ({ status }, { colors }) => paintStatus(colors, status) },
    { title: "tries", value: (run) => `${triesOf(run)}/${run.max_attempts}` },
    { title: "created", value: ({ created_at }) => created_at, show: ({ created_at }) => agoOf(created_at) },
    { title: "took", value: took, show: took },
    { title: "error", value: ({ error }) => error?.message ?? "", show: shortError },
  ];
}

function took({ started_at, finished_at }: Run): string {
  return started_at !== null && finished_at !== null ? tookOf(started_at, finished_at) : "";
}

function shortError({ error }: Run): string {
  const message = printableText(error?.message.replaceAll(/\s+/g, " ") ?? "");
  return message.length > LONGEST_ERROR ? `${message.slice(0, LONGEST_ERROR - 1)}…` : message;
}
