import type { UpdateWorkflow, Workflow } from "@millrace/contract/workflows/workflows";
import { useMemo, useState } from "react";
import { useDisabledReason } from "../../../api/me.ts";
import { asProblem } from "../../../api/problem.ts";
import { CodeEditor } from "../../../parts/code/editor/code-editor.tsx";
import { pathsOfSchema } from "../../../parts/code/editor/suggest-paths.ts";
import { Dag } from "../../../parts/dag/dag.tsx";
import { Button } from "../../../parts/form/button.tsx";
import { Skeleton } from "../../../parts/state/skeleton.tsx";
import { Segments } from "../../../parts/tabs.tsx";
import { useCommands } from "../../../shell/command-menu/commands.ts";
import { useSearchParams } from "../../../shell/place/place.ts";
import { checkSchema } from "../../shared-runs/check-schema.ts";
import { suggestJson } from "../../shared-runs/suggest-json.ts";
import { definitionGraph } from "../../shared-workflows/definition-graph.ts";
import { useWorkflows } from "../../shared-workflows/use-workflows.ts";
import { useJobs } from "../../use-jobs.ts";
import { SaveDialog } from "../versions/save-dialog.tsx";
import { AddStep } from "./add-step.tsx";
import { possibleParents, removeStep, replaceStep } from "./change-steps.ts";
import { Checks } from "./checks.tsx";
import { definitionSchema } from "./definition-schema.ts";
import { type Definition, type DraftIssue, type DraftLanguage, locateIssues } from "./draft.ts";
import { type Slugs, StepForm } from "./step-form.tsx";
import { suggestYaml } from "./suggest-yaml.ts";
import { useCurrentDefinition, useDraft } from "./use-draft.ts";
import { usePlan } from "./use-plan.ts";
import { useStepSchema } from "./use-schema.ts";

const LANGUAGES: { id: DraftLanguage; label: string }[] = [
  { id: "json", label: "JSON" },
  { id: "yaml", label: "YAML" },
];

/** Graph and text of a new version side by side, with its plan below. */
export default function EditorTab({ workflow }: { workflow: Workflow }) {
  const current = useCurrentDefinition(workflow);
  if (!current) return <Skeleton className="h-96 w-full" />;
  return <Editor key={workflow.version_id} workflow={workflow} current={current} />;
}

function Editor({ workflow, current }: { workflow: Workflow; current: Definition }) {
  const draft = useDraft(workflow, current);
  const { definition, text, language } = draft;
  const slugs = useSlugs();
  const plan = usePlan(workflow, definition);
  const schema = useDefinitionSchema(slugs, definition);
  const issues = useIssues(draft, schema, plan);
  const suggest = (given: string, caret: number) =>
    language === "json" ? suggestJson(schema, given, caret) : suggestYaml(schema, given, caret);
  return (
    <div className="flex flex-col gap-5">
      <div className="grid items-start gap-5 lg:grid-cols-2">
        <GraphSide workflow={workflow} draft={draft} slugs={slugs} />
        <CodeEditor
          key={language}
          label="Definition"
          language={language}
          rows={26}
          value={text}
          onChange={draft.write}
          issues={issues}
          suggest={suggest}
          hint="Ctrl+Space completes fields, jobs and step names."
          actions={<Segments label="Language" value={language} options={LANGUAGES} onChange={draft.speak} />}
        />
      </div>
      <SaveBar workflow={workflow} current={current} draft={draft} isValid={issues.length === 0} />
      <Checks {...{ workflow, current, definition, language }} plan={{ data: plan.data, error: plan.error }} />
    </div>
  );
}

type DraftState = ReturnType<typeof useDraft>;

function GraphSide({ workflow, draft, slugs }: { workflow: Workflow; draft: DraftState; slugs: Slugs }) {
  const { definition, change } = draft;
  const [{ step }, changeSearch] = useSearchParams();
  const select = (ref: string | undefined) => changeSearch({ step: ref }, { replace: true });
  const { nodes, edges } = useMemo(() => definitionGraph(definition.steps, (id) => id), [definition.steps]);
  const chosen = definition.steps.find(({ step_ref }) => step_ref === step);
  const paths = useMemo(() => pathsFor(definition, workflow), [definition, workflow]);
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <div className="flex min-h-6 items-center justify-between gap-2">
        <span className="font-medium text-xs">Graph</span>
        <AddStep
          definition={definition}
          after={chosen?.step_ref}
          slugs={slugs}
          onAdd={(next, ref) => {
            change(next);
            select(ref);
          }}
        />
      </div>
      <Dag
        label="Draft steps"
        nodes={nodes}
        edges={edges}
        direction="down"
        height={chosen ? 400 : 534}
        selected={step}
        onSelect={(ref) => select(ref === step ? undefined : ref)}
      />
      {chosen ? (
        <StepForm
          step={chosen}
          paths={paths}
          slugs={slugs}
          parents={possibleParents(definition.steps, chosen.step_ref)}
          onChange={(next) => {
            change(replaceStep(definition, chosen.step_ref, next));
            if (next.step_ref !== chosen.step_ref) select(next.step_ref);
          }}
          onRemove={() => {
            change(removeStep(definition, chosen.step_ref));
            select(undefined);
          }}
        />
      ) : (
        <p className="text-ink-3 text-xs">Select a step to change it in a form, or edit the text.</p>
      )}
    </div>
  );
}

type SaveProps = { workflow: Workflow; current: Definition; draft: DraftState; isValid: boolean };

function SaveBar({ workflow, current, draft, isValid }: SaveProps) {
  const [isSaving, setSaving] = useState(false);
  const noWrite = useDisabledReason("workflows:write");
  const { isChanged, definition, discard } = draft;
  const noSave = noWrite ?? (isChanged ? (isValid ? undefined : "The definition has errors.") : "No changes to save.");
  useCommands([{ label: "Review and save the draft", run: () => noSave ?? setSaving(true) }]);
  const { before, after } = changesIn(current, definition);
  return (
    <div className="sticky bottom-0 z-10 flex gap-2 border-border border-t bg-bg py-3">
      <Button kind="primary" disabledReason={noSave} onClick={() => setSaving(true)}>
        Review and save
      </Button>
      <Button disabled={!isChanged} onClick={discard}>
        Discard draft
      </Button>
      {isSaving && (
        <SaveDialog
          workflow={workflow}
          before={before}
          changes={after}
          onSaved={discard}
          onClose={() => setSaving(false)}
        />
      )}
    </div>
  );
}

function changesIn(current: Definition, definition: Definition) {
  const fields = ["steps", "timeout_secs", "max_parallel_steps", "payload_schema"] as const;
  const changed = fields.filter((field) => JSON.stringify(current[field]) !== JSON.stringify(definition[field]));
  const pick = (of: Definition) => Object.fromEntries(changed.map((field) => [field, of[field] ?? null]));
  return { before: pick(current), after: pick(definition) as UpdateWorkflow };
}

function useSlugs(): Slugs {
  const [jobs, workflows] = [useJobs(), useWorkflows()];
  return useMemo(
    () => ({
      jobs: [...(jobs?.values() ?? [])].map(({ slug }) => slug),
      workflows: [...(workflows?.values() ?? [])].map(({ slug }) => slug),
    }),
    [jobs, workflows],
  );
}

function useDefinitionSchema(slugs: Slugs, { steps }: Definition) {
  const step = useStepSchema();
  const refs = steps.map(({ step_ref }) => step_ref).join("\n");
  return useMemo(() => definitionSchema(step, slugs, refs.split("\n")), [step, slugs, refs]);
}

/** Syntax errors first, then schema errors, then issues reported by the service. */
function useIssues(
  { draft, text, language }: DraftState,
  schema: object,
  plan: ReturnType<typeof usePlan>,
): DraftIssue[] {
  return useMemo(() => {
    const own = draft.definition
      ? checkSchema(schema, draft.definition, "").map((each) => ({
          ...each,
          location: each.location.replace(/^\./, ""),
        }))
      : draft.issues;
    const refused = plan.error
      ? asProblem(plan.error).errors
      : [...(plan.data?.issues ?? []), ...(plan.data?.policy_violations ?? [])];
    const served = refused.map(({ location, message }) => ({ location: location.replace(/^body\./, ""), message }));
    return locateIssues(text, language, own.length > 0 ? own : served);
  }, [draft, text, language, schema, plan.error, plan.data]);
}

/** What conditions and templates can read. */
function pathsFor({ steps, payload_schema }: Definition, workflow: Workflow): string[] {
  return [
    ...pathsOfSchema(payload_schema ?? workflow.payload_schema, "payload"),
    ...steps.flatMap(({ step_ref }) => [
      `steps.${step_ref}.status`,
      `steps.${step_ref}.output`,
      `parent_outputs.${step_ref}`,
    ]),
  ];
}
