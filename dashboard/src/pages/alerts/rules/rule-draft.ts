import {
  ALERT_KIND_RULES,
  type AlertKind,
  DEFAULT_MIN_RUNS,
  DEFAULT_OBJECTIVE,
} from "@millrace/contract/alerts/alert-kinds";
import type { AlertRule, CreateAlertRule } from "@millrace/contract/alerts/alert-rules";
import { KIND_WORDS } from "./kind-words.ts";

export type RuleTarget = "project" | "job_id" | "workflow_id" | "queue" | "tag";

/** The fields of the form, as text. */
export type RuleDraft = {
  name: string;
  kind: AlertKind;
  target: RuleTarget;
  /** The id of a job or workflow, the name of a queue, or a tag. */
  of: string;
  environment_id: string;
  threshold: string;
  window_secs: string;
  min_runs: string;
  /** In percent. */
  objective: string;
  for_secs: string;
  resolve_after_secs: string;
  /** Empty: once. */
  repeat_every_secs: string;
  channel_ids: readonly string[];
  runbook: string;
};

export function newDraft(): RuleDraft {
  return {
    ...{ name: "", target: "project", of: "", environment_id: "", channel_ids: [], runbook: "" },
    ...{ for_secs: "0", resolve_after_secs: "0", repeat_every_secs: "" },
    ...defaultsOf("failure_rate"),
  };
}

/** The draft after its kind was changed. */
export function withKind(draft: RuleDraft, kind: AlertKind): RuleDraft {
  const { targets } = ALERT_KIND_RULES[kind];
  const isTargetKept = draft.target === "project" || targets.includes(draft.target);
  return {
    ...draft,
    ...defaultsOf(kind),
    ...(isTargetKept ? {} : { target: "project", of: "" }),
    ...(targets.includes("environment_id") ? {} : { environment_id: "" }),
  };
}

function defaultsOf(kind: AlertKind) {
  const { threshold, window_secs } = ALERT_KIND_RULES[kind];
  return {
    ...{ kind, threshold: shown(kind, threshold), window_secs: String(window_secs) },
    ...{ min_runs: String(DEFAULT_MIN_RUNS), objective: String(DEFAULT_OBJECTIVE * 100) },
  };
}

export function draftOf(rule: AlertRule): RuleDraft {
  const target = (["job_id", "workflow_id", "queue", "tag"] as const).find((name) => rule[name] !== null);
  return {
    ...{ name: rule.name, kind: rule.kind, environment_id: rule.environment_id ?? "", runbook: rule.runbook ?? "" },
    ...{ target: target ?? "project", of: (target && rule[target]) ?? "", channel_ids: rule.channel_ids },
    ...{ threshold: shown(rule.kind, rule.threshold), window_secs: String(rule.window_secs) },
    ...{ min_runs: String(rule.min_runs), objective: String(round((rule.objective ?? DEFAULT_OBJECTIVE) * 100)) },
    ...{ for_secs: String(rule.for_secs), resolve_after_secs: String(rule.resolve_after_secs) },
    repeat_every_secs: rule.repeat_every_secs === null ? "" : String(rule.repeat_every_secs),
  };
}

/** All settings, so that an update also resets what the draft leaves out. */
export function bodyOf(draft: RuleDraft): CreateAlertRule {
  const { kind, target, of } = draft;
  const named = (name: RuleTarget) => (target === name && of !== "" ? of : null);
  return {
    ...{ name: draft.name.trim(), kind, environment_id: draft.environment_id || null },
    ...{ job_id: named("job_id"), workflow_id: named("workflow_id"), queue: named("queue"), tag: named("tag") },
    ...{ threshold: round(Number(draft.threshold) / (KIND_WORDS[kind].scale ?? 1)) },
    ...{ window_secs: Number(draft.window_secs), min_runs: Number(draft.min_runs) },
    objective: kind === "slo_burn_rate" ? round(Number(draft.objective) / 100) : null,
    ...{ for_secs: Number(draft.for_secs), resolve_after_secs: Number(draft.resolve_after_secs) },
    repeat_every_secs: draft.repeat_every_secs === "" ? null : Number(draft.repeat_every_secs),
    ...{ channel_ids: [...draft.channel_ids], runbook: draft.runbook.trim() || null },
  };
}

function shown(kind: AlertKind, threshold: number): string {
  return String(round(threshold * (KIND_WORDS[kind].scale ?? 1)));
}

/** Converts between percent and shares without floating-point noise. */
function round(value: number): number {
  return Number(value.toPrecision(12));
}
