import type { StreamChange } from "@millrace/contract/deliveries/streams";
import type { EventTrigger } from "@millrace/contract/events/events";
import type { Run } from "@millrace/contract/runs/runs";
import { useEffect, useMemo, useRef, useState } from "react";
import { call } from "../../api/call.ts";
import { useMay } from "../../api/me.ts";
import type { Page } from "../../api/use-api.ts";
import { useLive } from "../../live/use-live.ts";
import { usePlace } from "../../shell/place/place.ts";
import { mainWait } from "./wait-words.ts";

export type Waits = ReadonlyMap<string, EventTrigger>;
type Owner = "job_run_id" | "workflow_run_id";

/** Maximum number of ids of the filter. */
const MAX_IDS = 50;
const FIRST_MS = 100;
const LATER_MS = 10_000;
const NONE: Waits = new Map();

/**
 * The open waits of the runs or workflow runs with these ids, by their id. Rows appear and change while others are
 * shown, so only unknown ones are read, a few at a time. A wait is dropped when the stream reports its end.
 */
export function useWaits(of: Owner, ids: readonly string[]): Waits {
  const { project } = usePlace();
  const isOn = useMay("events:read") && ids.length > 0;
  const [waits, setWaits] = useState(NONE);
  const seen = useRef(new Set<string>());
  const [round, setRound] = useState(0);
  const lastAt = useRef(0);
  const wanted = isOn
    ? ids
        .filter((id) => !seen.current.has(id))
        .slice(0, MAX_IDS)
        .join(",")
    : "";
  // biome-ignore lint/correctness/useExhaustiveDependencies: each round reads what is wanted then
  useEffect(() => {
    if (wanted === "") return;
    const abort = new AbortController();
    const delay = lastAt.current === 0 ? FIRST_MS : Math.max(FIRST_MS, lastAt.current + LATER_MS - Date.now());
    const read = async () => {
      lastAt.current = Date.now();
      const found = await readWaits(project, of, wanted, abort.signal).catch(() => undefined);
      if (abort.signal.aborted) return;
      for (const id of wanted.split(",")) seen.current.add(id);
      if (found && found.size > 0) setWaits((before) => new Map([...before, ...found]));
      setRound((nth) => nth + 1);
    };
    const timer = setTimeout(() => void read(), delay);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [project, of, wanted, round]);
  const forget = ({ id, object }: StreamChange) => {
    const owner = object[of];
    if (typeof owner !== "string" || !ids.includes(owner)) return;
    seen.current.delete(owner);
    if (object.status !== "waiting") setWaits((before) => new Map([...before].filter(([, wait]) => wait.id !== id)));
    setRound((nth) => nth + 1);
  };
  useLive(isOn ? ["events"] : [], forget, () => seen.current.clear());
  return waits;
}

/** The open waits of the runs that have one. */
export function useRunWaits(runs: readonly Run[]): Waits {
  const waiting = useMemo(() => runs.flatMap(({ id, status }) => (status === "waiting" ? [id] : [])), [runs]);
  return useWaits("job_run_id", waiting);
}

async function readWaits(project: string, of: Owner, ids: string, signal: AbortSignal): Promise<Waits> {
  const query = { status: "waiting", [of]: ids, limit: 100 };
  const { data } = await call<Page<EventTrigger>>("GET", "/v1/events", { query, project, signal });
  return new Map(
    ids.split(",").flatMap((id) => {
      const main = mainWait(data.filter((wait) => wait[of] === id));
      return main ? [[id, main] as const] : [];
    }),
  );
}
