import { ALERT_KINDS, type AlertKind } from "@millrace/contract/alerts/alert-kinds";
import { type Choice, ChoiceField } from "../../../parts/form/choice-field.tsx";
import { TextField } from "../../../parts/form/text-field.tsx";
import { formatSecs, KIND_WORDS } from "./kind-words.ts";
import { type RuleDraft, withKind } from "./rule-draft.ts";

type Props = { draft: RuleDraft; onChange: (fields: Partial<RuleDraft>) => void };

const KINDS = ALERT_KINDS.map((kind): Choice => [kind, KIND_WORDS[kind].label]);
const WINDOWS = [300, 900, 3_600, 21_600, 86_400, 604_800];
const DELAYS = [60, 120, 300, 900, 3_600];
const REPEATS = [900, 3_600, 14_400, 86_400];

/** What the rule measures, and the threshold. */
export function ConditionFields({ draft, isKindFixed, onChange }: Props & { isKindFixed: boolean }) {
  const { hint, threshold, hasWindow, hasMinRuns, label } = KIND_WORDS[draft.kind];
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <ChoiceField
        label="Kind"
        hint={hint}
        choices={isKindFixed ? [[draft.kind, label]] : KINDS}
        value={draft.kind}
        onChange={(kind) => onChange(withKind(draft, kind as AlertKind))}
      />
      {threshold && <NumberField label={threshold} name="threshold" step="any" draft={draft} onChange={onChange} />}
      {draft.kind === "slo_burn_rate" && (
        <NumberField label="Objective (% of runs)" name="objective" step="any" draft={draft} onChange={onChange} />
      )}
      {hasWindow && (
        <ChoiceField
          label="Window"
          choices={secsOf(WINDOWS, draft.window_secs)}
          value={draft.window_secs}
          onChange={(window_secs) => onChange({ window_secs })}
        />
      )}
      {hasMinRuns && (
        <NumberField
          label="Min. runs"
          hint="With fewer finished runs in the window, the rule does not fire."
          name="min_runs"
          min={1}
          draft={draft}
          onChange={onChange}
        />
      )}
    </div>
  );
}

/** How long the condition must hold before channels are notified, and how often they are. */
export function TimingFields({ draft, onChange }: Props) {
  return (
    <div className="grid gap-4 sm:grid-cols-3">
      <ChoiceField
        label="Fire after"
        choices={[["0", "Immediately"], ...secsOf(DELAYS, draft.for_secs)]}
        value={draft.for_secs}
        onChange={(for_secs) => onChange({ for_secs })}
      />
      <ChoiceField
        label="Resolve after"
        choices={[["0", "Immediately"], ...secsOf(DELAYS, draft.resolve_after_secs)]}
        value={draft.resolve_after_secs}
        onChange={(resolve_after_secs) => onChange({ resolve_after_secs })}
      />
      <ChoiceField
        label="Notify again"
        choices={[
          ["", "Never"],
          ...secsOf(REPEATS, draft.repeat_every_secs).map(([id, words]): Choice => [id, `Every ${words}`]),
        ]}
        value={draft.repeat_every_secs}
        onChange={(repeat_every_secs) => onChange({ repeat_every_secs })}
      />
    </div>
  );
}

type NumberProps = Props & {
  label: string;
  hint?: string;
  name: "threshold" | "objective" | "min_runs";
  min?: number;
  step?: string;
};

function NumberField({ label, hint, name, min = 0, step, draft, onChange }: NumberProps) {
  return (
    <TextField
      label={label}
      hint={hint}
      type="number"
      required
      min={min}
      step={step}
      value={draft[name]}
      onChange={(value) => onChange({ [name]: value })}
    />
  );
}

/** The common choices, and the current value. */
function secsOf(usual: readonly number[], set: string): Choice[] {
  const isUsual = set === "" || set === "0" || usual.includes(Number(set));
  return [...usual, ...(isUsual ? [] : [Number(set)])]
    .sort((a, b) => a - b)
    .map((secs) => [`${secs}`, formatSecs(secs)]);
}
