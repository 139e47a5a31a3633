import type { SdkUsage } from "../generated/schemas.ts";
import { CanceledError, isSuspend } from "../job-errors.ts";
import { quiet } from "./quiet.ts";
import type { RunContext, Usage } from "./run-context.ts";
import type { Session } from "./session.ts";

type Records = Pick<RunContext, "progress" | "usage" | "toolCall" | "output" | "tag">;

/** What a run leaves to be read. None of it has to be awaited: it is there before the attempt ends. */
export function openRecords(session: Session): Records {
  const send = <T>(path: string, body: unknown, safe = false) => session.track(session.post<T>(path, body, { safe }));
  const told = async (path: string, body: unknown, safe = false) => void (await send(path, body, safe));
  return {
    progress: (percent, message) => quiet(told("/progress", { percent, message: message ?? null }, true)),
    output: (name, value) => quiet(told("/output", { name, value: value ?? null })),
    tag: (changes) => quiet(told("/metadata", changes, true)),
    usage: { add: (usage) => quiet(addUsage(session, usage)) },
    toolCall: async (name, input, work) => {
      const begun = performance.now();
      const record = (end: { output?: unknown; error?: string }) =>
        send("/tool-call", { name, input, ...end, duration_ms: Math.round(performance.now() - begun) });
      const output = await Promise.resolve()
        .then(work)
        .catch(async (error: unknown) => {
          if (!isSuspend(error)) await record({ error: textOf(error) }).catch(() => {});
          throw error;
        });
      await record({ output: output ?? null });
      return output;
    },
  };
}

async function addUsage(session: Session, { inputTokens, outputTokens, costUsd, ...rest }: Usage): Promise<void> {
  const body = {
    ...rest,
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    ...(costUsd !== undefined && { cost_microusd: Math.round(costUsd * 1_000_000) }),
  };
  const { over_budget } = await session.track(session.post<SdkUsage>("/usage", body));
  if (over_budget) session.stop(new CanceledError("The run has cost more than its job allows."));
}

export function textOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, 16_000);
}
