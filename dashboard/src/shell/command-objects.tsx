import type { Job } from "@millrace/contract/jobs";
import { printQuery } from "@millrace/contract/query-language-print";
import type { Workflow } from "@millrace/contract/workflows";
import { useRouter } from "@tanstack/react-router";
import { Command } from "cmdk";
import { CornerDownLeft, Hammer, type LucideIcon, Search, Workflow as WorkflowIcon } from "lucide-react";
import { useDeferredValue, useEffect } from "react";
import { useMay } from "../api/me.ts";
import { sayFailure } from "../api/say-failure.ts";
import { type Page, useApi } from "../api/use-api.ts";
import { toast } from "../parts/toasts.tsx";
import { useLatest } from "../parts/use-latest.ts";
import { type Go, Item, type Then } from "./command-groups.tsx";
import { findPageOf, NOUNS } from "./find-page-of.ts";
import { usePlace } from "./place.ts";

/** Opens whatever has the id. */
export function IdGroup({ id, then }: Then & { id: string }) {
  const { project, at } = usePlace();
  const { history } = useRouter();
  const open = async () => {
    const page = await findPageOf(id, project);
    if (page) return history.push(at(page));
    const others = NOUNS.slice(0, -1).join(", ");
    toast({
      tone: "bad",
      title: "Nothing here has this id",
      detail: `No ${others} or ${NOUNS.at(-1)} of this project. It may be of another one, or its retention may have passed.`,
    });
  };
  return (
    <Command.Group heading="Open">
      <Item value={`${id} open`} onSelect={then(() => void open().catch(sayFailure))}>
        <CornerDownLeft size={15} className="text-ink-3" aria-hidden="true" />
        Open <code className="font-mono text-xs">{id}</code>
      </Item>
    </Command.Group>
  );
}

/** What the text may be the name of, and where to look for it else. `onNamed` is told each time more names are drawn. */
export function FoundGroups({ text, go, onNamed }: Go & { text: string; onNamed: () => void }) {
  const { jobs, workflows } = useNamed();
  const told = useLatest(onNamed);
  const drawn = useDeferredValue([jobs, workflows].filter(Boolean).length);
  useEffect(() => {
    if (drawn > 0) told.current();
  }, [drawn, told]);
  if (text === "") return null;
  return (
    <>
      <NamedGroup heading="Jobs" page="jobs" icon={Hammer} named={jobs} go={go} />
      <NamedGroup heading="Workflows" page="workflows" icon={WorkflowIcon} named={workflows} go={go} />
      <FindGroup text={text} go={go} />
    </>
  );
}

/** Jobs and workflows, the first hundred of each. Read when the menu opens, to be there for the first letter. */
function useNamed() {
  const jobs = useApi<Page<Job>>("/v1/jobs", { limit: 100 }, useMay("jobs:read")).data?.data;
  const workflows = useApi<Page<Workflow>>("/v1/workflows", { limit: 100 }, useMay("workflows:read")).data?.data;
  return { jobs, workflows };
}

type NamedProps = Go & {
  heading: string;
  page: string;
  icon: LucideIcon;
  named: { id: string; slug: string; name: string }[] | undefined;
};

function NamedGroup({ heading, page, icon: Icon, named = [], go }: NamedProps) {
  const { at } = usePlace();
  if (named.length === 0) return null;
  return (
    <Command.Group heading={heading}>
      {named.map(({ id, slug, name }) => (
        <Item key={id} value={`${page} ${name} ${slug}`} onSelect={go(at(`${page}/${id}`))}>
          <Icon size={15} className="flex-none text-ink-3" aria-hidden="true" />
          <span className="truncate">{name}</span>
          <code className="truncate font-mono text-ink-3 text-xs">{slug}</code>
        </Item>
      ))}
    </Command.Group>
  );
}

/** Like nothing that is typed: whatever is called so stands before it. */
export const LAST = "\u2060";

/** What is no name of anything may be words of an error: nobody is left with nothing found. */
function FindGroup({ text, go }: Go & { text: string }) {
  const { at } = usePlace();
  const q = printQuery([{ key: "text", text, negated: false }]);
  if (!useMay("runs:read")) return null;
  return (
    <Command.Group heading="Runs" forceMount>
      <Item value={LAST} isAlways onSelect={go(at("runs", { q }))}>
        <Search size={15} className="flex-none text-ink-3" aria-hidden="true" />
        <span className="truncate">Find runs whose id or error has “{text}”</span>
      </Item>
    </Command.Group>
  );
}
