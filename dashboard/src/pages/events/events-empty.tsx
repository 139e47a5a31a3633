import { CalendarClock } from "lucide-react";
import { CodeBlock } from "../../parts/code/code-block.tsx";
import { EmptyState } from "../../parts/state/empty-state.tsx";

const WORDS: Record<string, string> = {
  waiting: "No waits",
  received: "No events received",
  timed_out: "No waits timed out",
  canceled: "No waits canceled",
};

export function EventsEmpty({ status, isFiltered }: { status: string; isFiltered: boolean }) {
  if (isFiltered)
    return <EmptyState title="No waits match">Try a shorter key prefix, or show runs and steps together.</EmptyState>;
  return (
    <EmptyState
      icon={<CalendarClock size={20} />}
      title={WORDS[status] ?? "No events"}
      code={
        <CodeBlock title="In a job" code={'const paid = await ctx.waitForEvent("order-42.paid", { timeout: "7d" });'} />
      }
    >
      Runs and steps can wait for an event for months. Waiting uses no compute.
    </EmptyState>
  );
}
