import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from "react";
import { issuesOf, withoutLast } from "./filter-chips.tsx";
import { suggest } from "./filter-suggestions.ts";

type Known = Record<string, readonly string[]> | undefined;

const MAX_CHOICES = 9;

/** Draft of a filter: text, syntax errors and completions. */
export function useFilterDraft(value: string, onChange: (query: string) => void, known: Known) {
  const [isRaw, setRaw] = useState(false);
  const [draft, setDraft] = useState("");
  const [nth, setNth] = useState(-1);
  const [isOpen, setOpen] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => setDraft(isRaw ? value : ""), [isRaw, value]);
  const text = isRaw ? draft : [value, draft].filter(Boolean).join(" ");
  const issues = useMemo(() => issuesOf(text), [text]);
  const word = draft.slice(draft.lastIndexOf(" ") + 1);
  const choices = isOpen ? suggest(word, known).slice(0, MAX_CHOICES) : [];

  const commit = (added = draft) => {
    setOpen(false);
    setNth(-1);
    const next = (isRaw ? added : [value, added.trim()].filter(Boolean).join(" ")).trim();
    if (next === value || issuesOf(next).length > 0) return;
    setDraft(isRaw ? next : "");
    onChange(next);
  };
  const choose = (chosen: string) => {
    const next = `${draft.slice(0, draft.length - word.length)}${chosen}`;
    setDraft(next);
    setNth(-1);
    if (!/[:.]$/.test(chosen) && !isRaw) commit(next);
    input.current?.focus();
  };
  const type = (next: string) => {
    setDraft(next);
    setOpen(true);
    setNth(-1);
  };
  const moves = { nth, setNth, choices, choose, commit };
  const leave = () => (choices.length > 0 ? setOpen(false) : input.current?.blur());
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape") leave();
    else if (event.key === "Backspace" && draft === "" && !isRaw) onChange(withoutLast(value));
    else if (!moveWithin(event.key, moves)) return;
    event.preventDefault();
    event.stopPropagation();
  };
  const draftIssuesOf = isRaw ? issues : shifted(issues, value);
  const open = () => setOpen(true);
  return {
    isRaw,
    setRaw,
    draft,
    text,
    issues,
    draftIssuesOf,
    choices,
    nth,
    input,
    type,
    open,
    commit,
    choose,
    onKeyDown,
  };
}

type Moves = {
  nth: number;
  setNth: (nth: number) => void;
  choices: { text: string }[];
  choose: (text: string) => void;
  commit: () => void;
};

/** Returns whether the key was handled. */
function moveWithin(key: string, { nth, setNth, choices, choose, commit }: Moves): boolean {
  const chosen = choices[nth];
  if (key === "Enter") chosen ? choose(chosen.text) : commit();
  else if (key === "Tab" && chosen) choose(chosen.text);
  else if (key === "ArrowDown" && choices.length > 0) setNth((nth + 1) % choices.length);
  else if (key === "ArrowUp" && choices.length > 0) setNth(((nth + choices.length) % (choices.length + 1)) - 1);
  else return false;
  return true;
}

/** Errors of the draft after the chips, relative to its own start. */
function shifted(issues: ReturnType<typeof issuesOf>, before: string) {
  const offset = before === "" ? 0 : before.length + 1;
  return issues.flatMap((issue) =>
    issue.start >= offset ? [{ ...issue, start: issue.start - offset, end: issue.end - offset }] : [],
  );
}
