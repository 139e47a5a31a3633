import { DECISION_TYPES, type WorkflowDecision } from "@millrace/contract/workflows/workflow-graph";
import { X } from "lucide-react";
import { Fragment } from "react";
import { useApiList } from "../../api/use-api.ts";
import { Actor } from "../../parts/actor.tsx";
import { Button } from "../../parts/form/button.tsx";
import { IconButton } from "../../parts/form/icon-button.tsx";
import { formatTimeOfDay } from "../../parts/format.ts";
import { useSettings } from "../../parts/settings.ts";
import { Badge } from "../../parts/state/badge.tsx";
import { ErrorState } from "../../parts/state/error-state.tsx";
import { SkeletonLines } from "../../parts/state/skeleton.tsx";
import { Segments } from "../../parts/tabs.tsx";
import { useSearchParams } from "../../shell/place/place.ts";
import type { WorkflowRunView } from "./use-workflow-run.ts";

type Props = { runId: string; view: WorkflowRunView; onSelect: (id: string | undefined) => void };

/** Decision log of the run with reasons. A decision links to its step. */
export function ExplainDock({ runId, view, onSelect }: Props) {
  const [{ about, decision, step, by = "time" }, change] = useSearchParams();
  const list = useApiList<WorkflowDecision>(`/v1/workflow-runs/${runId}/explain`, {
    limit: 100,
    order: "desc",
    ...(about && { step_ref: about }),
    ...(decision && { decision_type: decision }),
  });
  return (
    <section aria-label="Decisions" className="flex h-72 flex-none flex-col border-t bg-bg max-sm:h-96">
      <header className="flex flex-none flex-wrap items-center gap-2 border-b px-3 py-1.5 sm:px-4 lg:px-6">
        <h2 className="mr-1 font-semibold">Decisions</h2>
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
        <Segments
          label="Sort"
          value={by}
          options={ORDERS}
          onChange={(id) => change({ by: id === "time" ? undefined : id }, { replace: true })}
        />
        <IconButton
          label="Close decisions"
          keys="e"
          className="ml-auto"
          icon={<X size={16} />}
          onClick={() =>
            change({ explain: undefined, about: undefined, decision: undefined, by: undefined }, { replace: true })
          }
        />
      </header>
      {list.error && <ErrorState error={list.error} as="banner" onRetry={() => void list.refetch()} />}
      <ol className="min-h-0 flex-1 overflow-y-auto py-1" tabIndex={0} aria-label="Decision log, newest first">
        {!list.rows && !list.error && (
          <li className="px-3 py-4 sm:px-4 lg:px-6">
            <SkeletonLines lines={4} />
          </li>
        )}
        {list.rows?.length === 0 && <li className="px-6 py-6 text-center text-ink-2">No matching decisions.</li>}
        {groupsOf(list.rows ?? [], by).map(({ title, rows }) => (
          <Fragment key={title}>
            {by === "step" && (
              <li className="sticky -top-1 z-10 flex h-7 items-center gap-2 border-b bg-surface px-3 font-medium text-xs sm:px-4 lg:px-6">
                <StepName
                  stepRef={rows[0]?.step_ref ?? null}
                  isSelected={rows[0]?.step_ref === step}
                  onSelect={onSelect}
                />
                <span className="font-normal text-ink-3">{rows.length}</span>
              </li>
            )}
            {rows.map((each) => (
              <Decision
                key={each.ordinal}
                decision={each}
                isSelected={each.step_ref === step}
                {...(by !== "step" && { onSelect })}
              />
            ))}
          </Fragment>
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

const ORDERS = [
  { id: "time", label: "By time" },
  { id: "step", label: "By step" },
];

/** In time order, or grouped by step with the most recently decided step first. */
function groupsOf(rows: WorkflowDecision[], by: string): { title: string; rows: WorkflowDecision[] }[] {
  if (by !== "step") return [{ title: "", rows }];
  const groups = new Map<string, WorkflowDecision[]>();
  for (const row of rows) {
    const title = row.step_ref ?? "Run";
    groups.set(title, [...(groups.get(title) ?? []), row]);
  }
  return [...groups].map(([title, own]) => ({ title, rows: own }));
}

type Select = (id: string | undefined) => void;
/** Without `onSelect` it is listed below its step name. */
type DecisionProps = { decision: WorkflowDecision; isSelected: boolean; onSelect?: Select };

function Decision({ decision, isSelected, onSelect }: DecisionProps) {
  const { step_ref, decision_type, reason, decided_by, decided_by_id, created_at } = decision;
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
      {onSelect && (
        <span className="w-36 flex-none truncate max-sm:w-auto">
          <StepName stepRef={step_ref} isSelected={isSelected} onSelect={onSelect} />
        </span>
      )}
      <span className="min-w-0 flex-1 max-sm:basis-full">{reason}</span>
      {decided_by_id && (
        <span className="flex-none text-ink-3 text-xs">
          <Actor name={decided_by ?? ""} id={decided_by_id} />
        </span>
      )}
    </li>
  );
}

function StepName({
  stepRef,
  isSelected,
  onSelect,
}: {
  stepRef: string | null;
  isSelected: boolean;
  onSelect: Select;
}) {
  if (stepRef === null) return <span className="text-ink-3">run</span>;
  return (
    <button
      type="button"
      className="max-w-full truncate text-accent hover:underline"
      onClick={() => isSelected || onSelect(stepRef)}
    >
      {stepRef}
    </button>
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
