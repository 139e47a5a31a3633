import { DECISION_TYPES, type WorkflowDecision } from "@millrace/contract/workflow-graph";
import { X } from "lucide-react";
import { useApiList } from "../../api/use-api.ts";
import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { formatTimeOfDay } from "../../parts/format.ts";
import { IconButton } from "../../parts/icon-button.tsx";
import { useSettings } from "../../parts/settings.ts";
import { SkeletonLines } from "../../parts/skeleton.tsx";
import { useSearchParams } from "../../shell/place.ts";
import type { WorkflowRunView } from "./use-workflow-run.ts";

type Props = { runId: string; view: WorkflowRunView; onSelect: (id: string | undefined) => void };

/** What was decided, when and why, below the steps. A decision leads to its step. */
export function ExplainDock({ runId, view, onSelect }: Props) {
  const [{ about, decision, step }, change] = useSearchParams();
  const list = useApiList<WorkflowDecision>(`/v1/workflow-runs/${runId}/explain`, {
    limit: 100,
    order: "desc",
    ...(about && { step_ref: about }),
    ...(decision && { decision_type: decision }),
  });
  return (
    <section aria-label="Explain" className="flex h-72 flex-none flex-col border-t bg-bg max-sm:h-96">
      <header className="flex flex-none flex-wrap items-center gap-2 border-b px-3 py-1.5 sm:px-4 lg:px-6">
        <h2 className="mr-1 font-semibold">Explain</h2>
        <Choice
          label="Step"
          value={about}
          options={view.graph.nodes.map(({ step_ref }) => step_ref)}
          all="All steps"
          onChange={(value) => change({ about: value }, { replace: true })}
        />
        <Choice
          label="Decision"
          value={decision}
          options={DECISION_TYPES}
          all="All decisions"
          onChange={(value) => change({ decision: value }, { replace: true })}
        />
        <IconButton
          label="Close explain"
          keys="e"
          className="ml-auto"
          icon={<X size={16} />}
          onClick={() => change({ explain: undefined, about: undefined, decision: undefined }, { replace: true })}
        />
      </header>
      {list.error && <ErrorState error={list.error} as="banner" onRetry={() => void list.refetch()} />}
      <ol className="min-h-0 flex-1 overflow-y-auto py-1" tabIndex={0} aria-label="Decisions, newest first">
        {!list.rows && !list.error && (
          <li className="p-4">
            <SkeletonLines lines={4} />
          </li>
        )}
        {list.rows?.length === 0 && (
          <li className="px-6 py-6 text-center text-ink-2">Nothing of this kind was decided.</li>
        )}
        {list.rows?.map((each) => (
          <Decision key={each.ordinal} decision={each} isSelected={each.step_ref === step} onSelect={onSelect} />
        ))}
        {list.hasNextPage && (
          <li className="p-2 text-center">
            <Button size="small" onClick={() => void list.fetchNextPage()}>
              Show older
            </Button>
          </li>
        )}
      </ol>
    </section>
  );
}

type DecisionProps = { decision: WorkflowDecision; isSelected: boolean; onSelect: (id: string | undefined) => void };

function Decision({ decision: { step_ref, decision_type, reason, created_at }, isSelected, onSelect }: DecisionProps) {
  const { zone } = useSettings();
  return (
    <li
      className={`flex items-baseline gap-3 px-3 py-1 hover:bg-hover max-sm:flex-wrap max-sm:gap-x-2 max-sm:gap-y-0 sm:px-4 lg:px-6 ${isSelected ? "bg-selected" : ""}`}
    >
      <time dateTime={created_at} className="flex-none font-mono text-ink-3 text-xs">
        {formatTimeOfDay(created_at, zone)}
      </time>
      <span className="w-24 flex-none max-sm:w-auto">
        <Badge>{decision_type}</Badge>
      </span>
      <span className="w-36 flex-none truncate max-sm:w-auto">
        {step_ref === null ? (
          <span className="text-ink-3">run</span>
        ) : (
          <button
            type="button"
            className="max-w-full truncate text-accent hover:underline"
            onClick={() => isSelected || onSelect(step_ref)}
          >
            {step_ref}
          </button>
        )}
      </span>
      <span className="min-w-0 flex-1 max-sm:basis-full">{reason}</span>
    </li>
  );
}

type ChoiceProps = {
  label: string;
  value: string | undefined;
  options: readonly string[];
  all: string;
  onChange: (value: string | undefined) => void;
};

function Choice({ label, value, options, all, onChange }: ChoiceProps) {
  return (
    <select
      aria-label={label}
      className="field !h-7 !w-auto max-w-48 text-xs"
      value={value ?? ""}
      onChange={(event) => onChange(event.target.value || undefined)}
    >
      <option value="">{all}</option>
      {options.map((option) => (
        <option key={option}>{option}</option>
      ))}
    </select>
  );
}
