import { printQuery } from "@millrace/contract/query-language-print";
import { useRouter } from "@tanstack/react-router";
import { Command, defaultFilter } from "cmdk";
import { CornerDownLeft, Hammer, type LucideIcon, Search, Workflow as WorkflowIcon } from "lucide-react";
import { useDeferredValue, useEffect, useMemo } from "react";
import { useMay } from "../api/me.ts";
import { showFailure } from "../api/show-failure.ts";
import { useWorkflows } from "../pages/shared-workflows/use-workflows.ts";
import { useJobs } from "../pages/use-jobs.ts";
import { toast } from "../parts/overlay/toasts.tsx";
import { useLatest } from "../parts/use-latest.ts";
import { type Go, Item, type Then } from "./command-groups.tsx";
import { findPageById, NOUNS } from "./find-page-by-id.ts";
import { usePlace } from "./place.ts";

/** Opens the object with this id. */
export function IdGroup({ id, then }: Then & { id: string }) {
  const { project, at } = usePlace();
  const { history } = useRouter();
  const open = async () => {
    const page = await findPageById(id, project);
    if (page) return history.push(at(page));
    const others = NOUNS.slice(0, -1).join(", ");
    toast({
      tone: "bad",
      title: "No object with this id",
      detail: `This project has no ${others} or ${NOUNS.at(-1)} with this id. It may belong to another project, or its retention period may have passed.`,
    });
  };
  return (
    <Command.Group heading="Open">
      <Item value={`${id} open`} onSelect={then(() => void open().catch(showFailure))}>
        <CornerDownLeft size={15} className="text-ink-3" aria-hidden="true" />
        Open <code className="font-mono text-xs">{id}</code>
      </Item>
    </Command.Group>
  );
}

/** Objects that match by name, and a run search as fallback. `onNamed` runs when more names are rendered. */
export function FoundGroups({ text, go, onNamed }: Go & { text: string; onNamed: () => void }) {
  const [jobs, workflows] = [useJobs(), useWorkflows()]; // prefetched when the menu opens, for the first key
  const drawn = useDeferredValue((jobs?.size ?? 0) + (workflows?.size ?? 0));
  const latest = useLatest(onNamed);
  useEffect(() => {
    if (drawn > 0) latest.current();
  }, [drawn, latest]);
  if (text === "") return null;
  return (
    <>
      <NamedGroup heading="Jobs" page="jobs" icon={Hammer} {...{ text, go }} named={jobs} />
      <NamedGroup heading="Workflows" page="workflows" icon={WorkflowIcon} {...{ text, go }} named={workflows} />
      <FindGroup text={text} go={go} />
    </>
  );
}

type Named = { id: string; slug: string; name: string };

type NamedProps = Go & {
  heading: string;
  page: string;
  icon: LucideIcon;
  text: string;
  named: ReadonlyMap<string, Named> | undefined;
};

/** Only the best matches: rendering a thousand would block the next key. */
const MAX_FOUND = 50;

function NamedGroup({ heading, page, icon: Icon, text, named, go }: NamedProps) {
  const { at } = usePlace();
  const found = useMemo(() => {
    const rated = [...(named?.values() ?? [])].map((one) => ({
      ...one,
      fit: defaultFilter(comparedWith(page, one), text),
    }));
    const fitting = rated.filter(({ fit }) => fit > 0).toSorted((a, b) => b.fit - a.fit);
    return fitting.slice(0, MAX_FOUND);
  }, [page, text, named]);
  if (found.length === 0) return null;
  return (
    <Command.Group heading={heading}>
      {found.map((one) => (
        <Item key={one.id} value={comparedWith(page, one)} onSelect={go(at(`${page}/${one.id}`))}>
          <Icon size={15} className="flex-none text-ink-3" aria-hidden="true" />
          <span className="truncate">{one.name}</span>
          <code className="truncate font-mono text-ink-3 text-xs">{one.slug}</code>
        </Item>
      ))}
    </Command.Group>
  );
}

/** The text that the menu matches. */
function comparedWith(page: string, { name, slug }: Named): string {
  return `${page} ${name} ${slug}`;
}

/** Matches nothing that is typed, so every named match ranks above it. */
export const LAST = "\u2060";

/** Fallback: unknown text may be part of an error message. */
function FindGroup({ text, go }: Go & { text: string }) {
  const { at } = usePlace();
  const q = printQuery([{ key: "text", text, negated: false }]);
  if (!useMay("runs:read")) return null;
  return (
    <Command.Group heading="Runs" forceMount>
      <Item value={LAST} isAlways onSelect={go(at("runs", { q }))}>
        <Search size={15} className="flex-none text-ink-3" aria-hidden="true" />
        <span className="truncate">Search run ids and errors for “{text}”</span>
      </Item>
    </Command.Group>
  );
}
