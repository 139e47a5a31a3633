import { parseQuery } from "@millrace/contract/query-language/parse-query";
import { printQuery } from "@millrace/contract/query-language/print";
import type { Run } from "@millrace/contract/runs/runs";
import { useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { Command, defaultFilter } from "cmdk";
import { CornerDownLeft, Hammer, type LucideIcon, Search, Workflow as WorkflowIcon } from "lucide-react";
import { useDeferredValue, useEffect, useMemo, useState } from "react";
import { call } from "../../api/call.ts";
import { useMay } from "../../api/me.ts";
import { showFailure } from "../../api/show-failure.ts";
import { apiKey, type Page } from "../../api/use-api.ts";
import { useWorkflows } from "../../pages/shared-workflows/use-workflows.ts";
import { useJobs } from "../../pages/use-jobs.ts";
import { toast } from "../../parts/overlay/toasts.tsx";
import { StatusMark } from "../../parts/state/status-mark.tsx";
import { useLatest } from "../../parts/use-latest.ts";
import { usePlace } from "../place/place.ts";
import { type Go, Item, type Then } from "./command-groups.tsx";
import { findPageById, NOUNS } from "./find-page-by-id.ts";

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

/** Matches no input, so every named match ranks above it. Repeated, it makes the values of the items after it unique. */
export const LAST = "\u2060";

/** Runs by id, tag and payload, and as a fallback by the text of their errors. */
function FindGroup({ text, go }: Go & { text: string }) {
  const { at } = usePlace();
  const mayRead = useMay("runs:read");
  if (!mayRead) return null;
  return (
    <Command.Group heading="Runs" forceMount>
      <Item value={LAST} isAlways onSelect={go(at("runs", { q: printQuery([{ key: "text", text, negated: false }]) }))}>
        <Search size={15} className="flex-none text-ink-3" aria-hidden="true" />
        <span className="truncate">Search run ids and errors for “{text}”</span>
      </Item>
      {queriesOf(text).map(({ words, q }) => (
        <Item key={q} value={LAST.repeat(2)} isAlways onSelect={go(at("runs", { q }))}>
          <Search size={15} className="flex-none text-ink-3" aria-hidden="true" />
          <span className="truncate">{words}</span>
        </Item>
      ))}
      <FoundRuns text={text} go={go} />
    </Command.Group>
  );
}

/** Other readings of the text: a query, a payload field, or a tag. */
function queriesOf(text: string): { words: string; q: string }[] {
  const [, path, value] = /^([A-Za-z_][\w.]*)\s*[:=]\s*(.+)$/.exec(text) ?? [];
  if (path === undefined || value === undefined) {
    const q = printQuery([{ key: "tag", values: [text], negated: false }]);
    return /^[\w.-]+$/.test(text) ? [{ words: `Search runs by tag “${text}”`, q }] : [];
  }
  const whole = parseQuery(text);
  if (whole.ok && whole.terms.every(({ condition }) => condition.key !== "text")) {
    return [{ words: `Search runs: ${text}`, q: text }];
  }
  const condition = { key: "payload" as const, path: path.split("."), value: jsonOf(value), negated: false };
  return [{ words: `Search runs by payload ${path}: ${value}`, q: printQuery([condition]) }];
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const DEBOUNCE_MS = 250;
const MAX_RUNS = 4;

/** Runs whose id or error contains the text. */
function FoundRuns({ text, go }: Go & { text: string }) {
  const { at, project } = usePlace();
  const jobs = useJobs();
  const [settled, setSettled] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const q = printQuery([{ key: "text", text: settled, negated: false }]);
  const { data } = useQuery({
    queryKey: apiKey(project, "/v1/runs", { q, limit: MAX_RUNS }),
    queryFn: ({ signal }) => call<Page<Run>>("GET", "/v1/runs", { query: { q, limit: MAX_RUNS }, project, signal }),
    enabled: settled.length >= 3,
  });
  if (settled.length < 3) return null;
  return (data?.data ?? []).map(({ id, status, job_id }, nth) => (
    <Item key={id} value={LAST.repeat(nth + 3)} isAlways onSelect={go(at(`runs/${id}`))}>
      <StatusMark status={status} />
      <span className="truncate">{jobs?.get(job_id)?.name}</span>
      <code className="truncate font-mono text-ink-3 text-xs">{id}</code>
    </Item>
  ));
}
