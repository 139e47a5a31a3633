import type { StreamChange } from "@millrace/contract/streams";
import type { LiveState } from "../parts/live-dot.tsx";
import { keepStream } from "./keep-stream.ts";
import { electLeader, type News, openTalk, type Said } from "./tab-talk.ts";
import { openTopicBook } from "./topic-book.ts";

type Signs = {
  onChange: (change: StreamChange) => void;
  onReset: (topics: string[]) => void;
  onState: (state: LiveState) => void;
};

/**
 * One stream per project for all tabs of the browser: the leader tab holds it, the others receive its events from the
 * leader.
 */
export function openSharedLine(project: string, wants: () => string[], signs: Signs) {
  const tab = crypto.randomUUID?.() ?? String(Math.random());
  const closed = new AbortController();
  const book = openTopicBook(wants);
  let isLeader = false;
  let state: LiveState = "connecting";
  let lastEventId: string | undefined;

  const talk = openTalk(project, hear);
  const stream = keepStream({
    project,
    book,
    lastEventId: () => lastEventId,
    onOpen: () => tell({ kind: "state", state: "live", id: lastEventId }),
    onLost: () => tell({ kind: "state", state: "offline", id: lastEventId }),
    onId: (id) => {
      lastEventId = id;
    },
    onChange: (change) => tell({ kind: "change", change, id: lastEventId }),
    onReset: (topics) => tell({ kind: "reset", topics }),
  });
  electLeader(project, lead, closed.signal);
  addEventListener("pagehide", sayBye);

  function lead(signal: AbortSignal): Promise<void> {
    isLeader = true;
    talk.say({ kind: "who", tab });
    return stream.keep(signal);
  }

  /** Delivers stream events to this tab and to all others. */
  function tell(news: News): void {
    take(news);
    talk.say(news);
  }

  /** The next leader resumes from this event id, so events between two leaders are not lost. */
  function take(news: News): void {
    if (news.kind !== "reset") lastEventId = news.id ?? lastEventId;
    if (news.kind === "change") signs.onChange(news.change);
    if (news.kind === "reset") signs.onReset(news.topics);
    if (news.kind === "state") {
      state = news.state;
      signs.onState(state);
    }
  }

  function hear(said: Said): void {
    if (said.kind === "who") sayWants();
    else if (said.kind === "want" || said.kind === "bye") noteWants(said);
    else if (said.kind !== "state" || !isLeader) take(said);
  }

  function noteWants(said: Said & { kind: "want" | "bye" }): void {
    if (said.kind === "bye") book.forget(said.tab);
    if (said.kind === "want") book.note(said.tab, said.topics);
    if (!isLeader) return;
    stream.bookChanged();
    if (said.kind === "want") talk.say({ kind: "state", state, id: lastEventId });
  }

  function sayWants(): void {
    talk.say({ kind: "want", tab, topics: wants() });
  }

  function sayBye(): void {
    talk.say({ kind: "bye", tab });
  }

  function wantsChanged(): void {
    sayWants();
    if (isLeader) stream.bookChanged();
  }

  function close(): void {
    sayBye();
    removeEventListener("pagehide", sayBye);
    closed.abort();
    talk.close();
  }

  return { wantsChanged, close };
}
