import type { Workflow } from "@millrace/contract/workflows/workflows";
import { useMemo, useState } from "react";
import { useWorkflows } from "../../shared-workflows/use-workflows.ts";
import { useJobs } from "../../use-jobs.ts";
import { type Definition, type DraftLanguage, definitionOf, printDefinition, readDefinition } from "./draft.ts";

const keyOf = ({ id, version_id }: Workflow) => `millrace-draft-${id}-${version_id}`;

/** The edited text, the definition it contains, and the last valid one. Kept in this tab until it is saved. */
export function useDraft(workflow: Workflow, current: Definition) {
  const [language, setLanguage] = useState<DraftLanguage>("json");
  const [text, setText] = useState(() => sessionStorage.getItem(keyOf(workflow)) ?? printDefinition(current, "json"));
  const [last, setLast] = useState<Definition>(() => readDefinition(text, "json").definition ?? current);
  const draft = useMemo(() => readDefinition(text, language), [text, language]);
  const write = (next: string, of = readDefinition(next, language).definition) => {
    setText(next);
    if (!of) return;
    setLast(of);
    sessionStorage.setItem(keyOf(workflow), printDefinition(of, "json"));
  };
  const isChanged = JSON.stringify(last) !== JSON.stringify(current);
  const discard = () => {
    sessionStorage.removeItem(keyOf(workflow));
    setLast(current);
    setText(printDefinition(current, language));
  };
  return {
    ...{ text, language, draft, isChanged, discard },
    definition: draft.definition ?? last,
    write: (next: string) => write(next),
    /** Applies a change from a form by printing the text again. */
    change: (next: Definition) => write(printDefinition(next, language), next),
    speak: (next: DraftLanguage) => {
      setLanguage(next);
      setText(printDefinition(draft.definition ?? last, next));
    },
  };
}

/** The current version. Undefined until the names of its jobs are known. */
export function useCurrentDefinition(workflow: Workflow): Definition | undefined {
  const [jobs, workflows] = [useJobs(), useWorkflows()];
  return useMemo(
    () => jobs && workflows && definitionOf(workflow, (id) => jobs.get(id)?.slug ?? workflows.get(id)?.slug),
    [workflow, jobs, workflows],
  );
}
