import type { StepInput } from "@millrace/contract/workflows/workflow-steps";
import type { Workflow } from "@millrace/contract/workflows/workflows";
import { parseDocument, stringify } from "yaml";
import { printJson, readJson } from "../../../parts/code/json-editor.tsx";

/** The fields of a workflow version, without those that have their default. */
export type Definition = Partial<Pick<Workflow, "timeout_secs" | "max_parallel_steps" | "payload_schema">> & {
  steps: StepInput[];
};

export type DraftLanguage = "json" | "yaml";
export type DraftIssue = { location: string; message: string; from?: number; to?: number };
export type Draft = { definition: Definition | undefined; issues: DraftIssue[] };

const DEFAULTS: Record<string, unknown> = {
  on_failure: "fail_workflow",
  tolerate_failures: false,
  event_emit_buffer_secs: 0,
};

/** The edited version without default values. `nameOf` returns the slug of a job or a workflow. */
export function definitionOf(workflow: Workflow, nameOf: (id: string) => string | undefined): Definition {
  const { timeout_secs, max_parallel_steps, payload_schema } = workflow;
  return {
    steps: workflow.steps.map((step) => compactStep(step, nameOf)),
    ...(timeout_secs !== null && { timeout_secs }),
    ...(max_parallel_steps !== null && { max_parallel_steps }),
    ...(payload_schema !== null && { payload_schema }),
  };
}

function compactStep(step: StepInput, nameOf: (id: string) => string | undefined): StepInput {
  const fields = Object.entries(step).filter(
    ([name, value]) =>
      value !== null && value !== DEFAULTS[name] && !(Array.isArray(value) && value.length === 0 && name !== "items"),
  );
  const named = fields.map(([name, value]) =>
    /^(?:compensate_)?job_id$|^workflow_id$/.test(name) ? [name, nameOf(String(value)) ?? value] : [name, value],
  );
  return Object.fromEntries(named) as StepInput;
}

export function printDefinition(definition: Definition, language: DraftLanguage): string {
  return language === "json" ? printJson(definition) : stringify(definition, { lineWidth: 110 });
}

export function readDefinition(text: string, language: DraftLanguage): Draft {
  return language === "json" ? readJsonDraft(text) : readYamlDraft(text);
}

function readJsonDraft(text: string): Draft {
  const read = readJson(text);
  if (read.ok) return shaped(read.value);
  const place = read.at === undefined ? {} : { from: read.at, to: read.at + 1 };
  return { definition: undefined, issues: [{ location: "", message: read.message, ...place }] };
}

function readYamlDraft(text: string): Draft {
  const document = parseDocument(text);
  const issues = document.errors.map(({ message, pos }) => ({
    ...{ location: "", message: message.split("\n")[0] ?? message },
    ...{ from: pos[0], to: pos[1] },
  }));
  return issues.length > 0 ? { definition: undefined, issues } : shaped(document.toJS());
}

function shaped(value: unknown): Draft {
  const { steps } = (value ?? {}) as { steps?: unknown };
  const isList = Array.isArray(steps) && steps.every((step) => typeof step === "object" && step !== null);
  if (isList) return { definition: value as Definition, issues: [] };
  return { definition: undefined, issues: [{ location: "steps", message: "must be a list of steps" }] };
}

/** Adds the ranges of issues in YAML; in JSON the editor finds them itself. */
export function locateIssues(text: string, language: DraftLanguage, issues: readonly DraftIssue[]): DraftIssue[] {
  if (language === "json" || issues.length === 0) return [...issues];
  const document = parseDocument(text);
  return issues.map((issue) => {
    if (issue.from !== undefined) return issue;
    const path = (issue.location.match(/[^.[\]/]+/g) ?? []).map((name) => (/^\d+$/.test(name) ? Number(name) : name));
    for (let length = path.length; length > 0; length--) {
      const node = document.getIn(path.slice(0, length), true) as { range?: [number, number, number] } | undefined;
      if (node?.range) return { ...issue, from: node.range[0], to: lineEnd(text, node.range[0], node.range[1]) };
    }
    return { ...issue, from: 0, to: 1 };
  });
}

function lineEnd(text: string, from: number, to: number): number {
  const end = text.indexOf("\n", from);
  return end === -1 ? to : Math.min(to, end);
}
