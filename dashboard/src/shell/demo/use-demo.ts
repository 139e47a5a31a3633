import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { call } from "../../api/call.ts";
import { showFailure } from "../../api/show-failure.ts";
import { toast } from "../../parts/overlay/toasts.tsx";
import { placeOf } from "../place/place.ts";

/** The demo project of `millrace dev`, and its order that waits for approval. */
type Demo = {
  project: { id: string; slug: string; name: string };
  waiting: { order: string; workflow_run_id: string; since: string } | null;
};
type Resumed = { resumed_workflow_run_id: string | null; started_workflow_run_id: string | null };

export const DEMO_SLUG = "demo";
const THIS_MACHINE = ["localhost", "127.0.0.1", "[::1]"];

/** Null: no demo. Served on loopback only. */
export function useDemo(isOn = true) {
  return useQuery({ queryKey: ["demo"], queryFn: ({ signal }) => readDemo(signal), enabled: isOn && isHere() });
}

export function isHere(): boolean {
  return THIS_MACHINE.includes(location.hostname);
}

/** Only `millrace dev` serves this path. Elsewhere it returns the page, so that the console stays clean. */
async function readDemo(signal: AbortSignal): Promise<Demo | null> {
  const response = await fetch("/demo", { signal, headers: { accept: "application/json, text/html" } });
  const isDemo = response.ok && response.headers.get("content-type")?.startsWith("application/json");
  return isDemo ? ((await response.json()) as Demo) : null;
}

/** Approves the waiting order, or starts another one, and opens its run. */
export function useResumeDemo() {
  const client = useQueryClient();
  const { history } = useRouter();
  return useMutation({
    mutationFn: () => call<Resumed>("POST", "/demo/resume"),
    onSuccess: (resumed) => {
      const id = resumed.resumed_workflow_run_id ?? resumed.started_workflow_run_id;
      history.push(placeOf(DEMO_SLUG, "production").at(`workflow-runs/${id}`));
      void client.invalidateQueries({ queryKey: ["demo"] });
    },
    onError: showFailure,
  });
}

/** Removes the demo and opens a remaining project. */
export function useRemoveDemo() {
  const client = useQueryClient();
  const { history } = useRouter();
  return async () => {
    await call("DELETE", "/demo");
    client.setQueryData(["demo"], null);
    await client.invalidateQueries({ queryKey: ["projects"] });
    toast({ title: "Demo removed" });
    history.push("/");
  };
}
