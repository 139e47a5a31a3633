import type { EventTested } from "@millrace/contract/events/source-events";
import { Json } from "../../parts/code/json.tsx";
import { Section } from "../../parts/facts.tsx";
import { StatusMark } from "../../parts/state/status-mark.tsx";

/** What filter and template do with the event. Undefined: not tried yet. */
export function DraftResult({ result }: { result: EventTested["draft"] }) {
  if (!result) return <p className="text-ink-2">Enter an event to see whether it matches.</p>;
  const { matched, payload, error } = result;
  return (
    <section aria-label="Result" aria-live="polite" className="flex flex-col gap-3">
      <span>
        <StatusMark
          as="badge"
          status={error ? "failed" : matched ? "ok" : "skipped"}
          label={error ? (matched ? "Matches, but fails" : "Fails") : matched ? "Matches" : "Does not match"}
        />
      </span>
      {error && <p className="text-failed-ink text-xs">{error.message}</p>}
      {matched && !error && (
        <Section title="Payload of the run">
          <Json value={payload} />
        </Section>
      )}
    </section>
  );
}
