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
      {CREATE_COMMANDS.filter(({ scope }) => may(scope)).map(({ label, path, search, keys }) => (
        <Item key={label} keys={keys} onSelect={then(() => runAt(path, label, search))}>
          <Plus {...ICON} />
          {label}
        </Item>
      ))}
    </Command.Group>
  );
}

/** Enough to find one by its name; all of them would fill the list. */
const MAX_OBJECTS = 5;

type Verb = "trigger" | "pause" | "resume";

/** The words by which users ask for an action. */
const ASKED: [RegExp, Verb][] = [
  [/^(?:trigger|run|start|test)(?:\s+|$)/i, "trigger"],
  [/^(?:pause|disable|stop)(?:\s+|$)/i, "pause"],
  [/^(?:resume|enable)(?:\s+|$)/i, "resume"],
];

/**
 * Trigger, pause and resume the jobs and workflows whose names match, once a verb is typed: Enter after a name alone
 * opens what it names.
 */
export function ActGroup({ text, then }: Then & { text: string }) {
  const [jobs, workflows] = [useJobs(), useWorkflows()];
  const [asked, verb] = ASKED.find(([words]) => words.test(text)) ?? [];
  if (asked === undefined || verb === undefined) return null;
  const words = text.replace(asked, "");
  const fits = { trigger: isEnabled, pause: isOn, resume: (one: Pausable) => !isOn(one) }[verb];
  return (
    <Command.Group heading="Actions">
      {matching(jobs, words, fits).map((job) => (
        <JobAction key={job.id} {...{ text, verb, job, then }} />
      ))}
      {matching(workflows, words, fits).map((workflow) => (
        <WorkflowAction key={workflow.id} {...{ text, verb, workflow, then }} />
      ))}
    </Command.Group>
  );
}

type Pausable = { paused_at?: string | null; enabled: boolean };
const isEnabled = ({ enabled }: Pausable) => enabled;
/** Jobs are paused, workflows disabled. */
const isOn = ({ paused_at, enabled }: Pausable) => (paused_at === undefined ? enabled : paused_at === null);

function matching<T extends Pausable & { name: string; slug: string }>(
  all: ReadonlyMap<string, T> | undefined,
  words: string,
  fits: (one: T) => boolean,
): T[] {
  const rated = [...(all?.values() ?? [])].filter(fits).map((one) => ({
    one,
    fit: words === "" ? 1 : defaultFilter(`${one.name} ${one.slug}`, words),
  }));
  const fitting = rated.filter(({ fit }) => fit > 0).toSorted((a, b) => b.fit - a.fit);
  return fitting.slice(0, MAX_OBJECTS).map(({ one }) => one);
}

type ActProps = Then & { text: string; verb: Verb };

function JobAction({ text, verb, job, then }: ActProps & { job: Job }) {
  const { at } = usePlace();
  const { history } = useRouter();
  const may = useMay(verb === "trigger" ? "jobs:trigger" : "jobs:write");
  const { mutate: toggle } = usePauseJob();
  if (!may) return null;
  const test = () => history.push(at(`jobs/${job.id}`, { tab: "test" }));
  const words = `${{ trigger: "Trigger", pause: "Pause", resume: "Resume" }[verb]} job ${job.name}`;
  return <Act {...{ text, verb, words }} onSelect={then(() => (verb === "trigger" ? test() : toggle(job)))} />;
}

function WorkflowAction({ text, verb, workflow, then }: ActProps & { workflow: Workflow }) {
  const runAt = useRunAt();
  const { id, name, enabled } = workflow;
  const may = useMay(verb === "trigger" ? "workflows:trigger" : "workflows:write");
  const { mutate: toggle } = useChange<boolean>({
    run: (isEnabled, send) => send("PATCH", `/v1/workflows/${id}`, { enabled: isEnabled }),
    done: (_, isEnabled) => `${name} ${isEnabled ? "enabled" : "disabled"}`,
    undo: (isEnabled) => !isEnabled,
    invalidates: ["/v1/workflows"],
  });
  if (!may) return null;
  const trigger = () => runAt(`workflows/${id}`, "Trigger workflow");
  const words = `${{ trigger: "Trigger", pause: "Disable", resume: "Enable" }[verb]} workflow ${name}`;
  return <Act {...{ text, verb, words }} onSelect={then(() => (verb === "trigger" ? trigger() : toggle(!enabled)))} />;
}

const ICONS = { trigger: Zap, pause: CirclePause, resume: CirclePlay };

/** The typed text is part of the value, since the menu would not find "Trigger" when asked to "run". */
function Act({ text, verb, words, onSelect }: { text: string; verb: Verb; words: string; onSelect: () => void }) {
  const Icon = ICONS[verb];
  return (
    <Action value={`${text} ${words}`} words={words} onSelect={onSelect}>
      <Icon {...ICON} />
    </Action>
  );
}

type ActionProps = { value?: string; words: string; onSelect: () => void; children: ReactNode };

function Action({ value, words, onSelect, children }: ActionProps) {
  return (
    <Item value={value ?? words} onSelect={onSelect}>
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
