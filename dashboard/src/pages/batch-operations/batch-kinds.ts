import type { BatchOperation } from "@millrace/contract/runs/batch-operations";

const NAMES: Record<string, string> = {
  trigger: "Trigger runs",
  cancel: "Cancel runs",
  cancel_all: "Cancel all matching",
  replay: "Replay runs",
  dlq_replay: "Replay dead letters",
  workflow_cancel: "Cancel workflow runs",
};

export function kindName(kind: string): string {
  return NAMES[kind] ?? kind.replaceAll("_", " ");
}

export function isLive({ status }: Pick<BatchOperation, "status">): boolean {
  return status === "pending" || status === "running";
}

/** Succeeded, failed and skipped as segments of one bar. */
export function partsOf({ succeeded, failed, skipped }: Pick<BatchOperation, "succeeded" | "failed" | "skipped">) {
  return [
    { label: "Succeeded", value: succeeded, className: "bg-success" },
    { label: "Failed", value: failed, className: "bg-failed" },
    { label: "Skipped", value: skipped, className: "bg-queued" },
  ];
}

/** With a filter the total may not be known yet: then the processed count is the total. */
export function totalOf({ total, processed }: Pick<BatchOperation, "total" | "processed">): number {
  return Math.max(total, processed);
}
