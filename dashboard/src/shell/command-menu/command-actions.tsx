import type { Job } from "@millrace/contract/jobs/jobs";
import type { Workflow } from "@millrace/contract/workflows/workflows";
import { useRouter } from "@tanstack/react-router";
import { Command, defaultFilter } from "cmdk";
import { CirclePause, CirclePlay, Plus, Zap } from "lucide-react";
import type { ReactNode } from "react";
import { useMay, useMe, usePermissions } from "../../api/me.ts";
import { useChange } from "../../api/use-api.ts";
import { usePauseJob } from "../../pages/jobs/use-pause-job.ts";
import { useWorkflows } from "../../pages/shared-workflows/use-workflows.ts";
import { useJobs } from "../../pages/use-jobs.ts";
import { usePlace } from "../place/place.ts";
import { Item, type Then } from "./command-groups.tsx";
import { runWhenOffered } from "./commands.ts";
import { CREATE_COMMANDS } from "./create-commands.ts";

const ICON = { size: 15, className: "flex-none text-ink-3", "aria-hidden": true } as const;

/** Opens a page and runs a command there. */
function useRunAt() {
  const { history } = useRouter();
  const { at } = usePlace();
  return (path: string, command: string, search: Record<string, string> = {}) => {
    history.push(at(path, search));
    runWhenOffered(command);
  };
}

export function CreateGroup({ then }: Then) {
  const runAt = useRunAt();
  const { data: me } = useMe();
  const permissions = usePermissions();
  const may = (scope: string) => me?.kind === "internal_secret" || permissions.includes(scope);
  return (
    <Command.Group heading="Create">
      {CREATE_COMMANDS.filter(({ scope }) => may(scope)).map(({ label, path, keys }) => (
        <Item key={label} keys={keys} onSelect={then(() => runAt(path, label))}>
          <Plus {...ICON} />
          {label}
        </Item>
      ))}
    </Command.Group>
  );
}

/** Enough to find one by its name; all of them would fill the list. */
const MAX_OBJECTS = 5;

const VERB = /^(?:trigger|run|start|test|pause|resume|enable|disable)\s+/i;

/**
 * Trigger, pause and resume the jobs and workflows whose names match, once a verb is typed: Enter after a name alone
 * opens what it names.
 */
export function ActGroup({ text, then }: Then & { text: string }) {
  const [jobs, workflows] = [useJobs(), useWorkflows()];
  if (!VERB.test(text)) return null;
  return (
    <Command.Group heading="Actions">
      {matching(jobs, text).map((job) => (
        <JobActions key={job.id} job={job} then={then} />
      ))}
      {matching(workflows, text).map((workflow) => (
        <WorkflowActions key={workflow.id} workflow={workflow} then={then} />
      ))}
    </Command.Group>
  );
}

function matching<T extends { name: string; slug: string }>(
  all: ReadonlyMap<string, T> | undefined,
  text: string,
): T[] {
  const words = text.replace(VERB, "");
  const rated = [...(all?.values() ?? [])].map((one) => ({
    one,
    fit: defaultFilter(`${one.name} ${one.slug}`, words),
  }));
  const fitting = rated.filter(({ fit }) => fit > 0).toSorted((a, b) => b.fit - a.fit);
  return fitting.slice(0, MAX_OBJECTS).map(({ one }) => one);
}

function JobActions({ job, then }: Then & { job: Job }) {
  const { at } = usePlace();
  const { history } = useRouter();
  const [mayTrigger, mayWrite] = [useMay("jobs:trigger"), useMay("jobs:write")];
  const { mutate: toggle } = usePauseJob();
  const verb = job.paused_at ? "Resume" : "Pause";
  return (
    <>
      {mayTrigger && (
        <Action
          words={`Trigger job ${job.name}`}
          onSelect={then(() => history.push(at(`jobs/${job.id}`, { tab: "test" })))}
        >
          <Zap {...ICON} />
        </Action>
      )}
      {mayWrite && (
        <Action words={`${verb} job ${job.name}`} onSelect={then(() => toggle(job))}>
          {job.paused_at ? <CirclePlay {...ICON} /> : <CirclePause {...ICON} />}
        </Action>
      )}
    </>
  );
}

function WorkflowActions({ workflow, then }: Then & { workflow: Workflow }) {
  const runAt = useRunAt();
  const [mayTrigger, mayWrite] = [useMay("workflows:trigger"), useMay("workflows:write")];
  const { id, name, enabled } = workflow;
  const { mutate: toggle } = useChange<boolean>({
    run: (isEnabled, send) => send("PATCH", `/v1/workflows/${id}`, { enabled: isEnabled }),
    done: (_, isEnabled) => `${name} ${isEnabled ? "enabled" : "disabled"}`,
    undo: (isEnabled) => !isEnabled,
    invalidates: ["/v1/workflows"],
  });
  return (
    <>
      {mayTrigger && enabled && (
        <Action words={`Trigger workflow ${name}`} onSelect={then(() => runAt(`workflows/${id}`, "Trigger workflow"))}>
          <Zap {...ICON} />
        </Action>
      )}
      {mayWrite && (
        <Action words={`${enabled ? "Disable" : "Enable"} workflow ${name}`} onSelect={then(() => toggle(!enabled))}>
          {enabled ? <CirclePause {...ICON} /> : <CirclePlay {...ICON} />}
        </Action>
      )}
    </>
  );
}

function Action({ words, onSelect, children }: { words: string; onSelect: () => void; children: ReactNode }) {
  return (
    <Item value={words} onSelect={onSelect}>
      {children}
      <span className="truncate">{words}</span>
    </Item>
  );
}

/** Actions on the run with a pasted id. */
export function RunIdActions({ id, then }: Then & { id: string }) {
  const runAt = useRunAt();
  if (!useMay("runs:write")) return null;
  return (
    <Command.Group heading="Run">
      <Action words={`Replay run ${id}`} onSelect={then(() => runAt(`runs/${id}`, "Replay run"))}>
        <CirclePlay {...ICON} />
      </Action>
      <Action words={`Cancel run ${id}`} onSelect={then(() => runAt(`runs/${id}`, "Cancel run"))}>
        <CirclePause {...ICON} />
      </Action>
    </Command.Group>
  );
}
