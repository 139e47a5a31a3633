import { CalendarClock } from "lucide-react";
import { CodeBlock } from "../../parts/code-block.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";

const WORDS: Record<string, string> = {
  waiting: "Nothing waits",
  received: "No event was received",
  timed_out: "No wait ran out of time",
  canceled: "No wait was canceled",
};

export function EventsEmpty({ status, isFiltered }: { status: string; isFiltered: boolean }) {
  if (isFiltered)
    return <EmptyState title="No event fits">Look for a shorter beginning, or at runs and steps together.</EmptyState>;
  return (
    <EmptyState
      icon={<CalendarClock size={20} />}
      title={WORDS[status] ?? "No events"}
      code={
        <CodeBlock title="In a job" code={'const paid = await ctx.waitForEvent("order-42.paid", { timeout: "7d" });'} />
      }
    >
      A run or a step that waits for an event costs nothing while it waits, for months if need be.
    </EmptyState>
  );
}
