import { Readable } from "node:stream";
import type { ExplainQuery } from "@millrace/contract/workflows/workflow-graph";
import type { ProjectCtx } from "../../../platform/context.ts";
import { invalid } from "../../../platform/errors/errors.ts";
import { preferredMedia } from "../../../platform/http/preferred-media.ts";
import { presentPage, readPageById } from "../../../platform/listing/page.ts";
import type { RouteReply } from "../../../platform/route.ts";
import { getWorkflowRun } from "../queries.ts";
import { isStepOf, listDecisions, readDecisions } from "./decision-queries.ts";
import { followDecisions } from "./follow-decisions.ts";

/** All decisions as lines, and as a live stream. */
export const OTHER_FORMS = ["application/x-ndjson", "text/event-stream"] as const;

type ExplainRequest = { query: ExplainQuery; accept: string | undefined };

/** Returns the decisions about a workflow run, oldest first: a page, all of them as lines, or live until its end. */
export async function explainWorkflowRun(
  ctx: ProjectCtx,
  id: string,
  { query, accept }: ExplainRequest,
  reply: RouteReply,
) {
  const run = await getWorkflowRun(ctx, id);
  const { limit: _, cursor, order, ...filter } = query;
  const { step_ref } = filter;
  if (step_ref !== undefined && !(await isStepOf(ctx, run, step_ref))) {
    throw invalid("query.step_ref", "is not a step of this workflow run", step_ref);
  }
  const media = preferredMedia(accept, ["application/json", ...OTHER_FORMS]);
  if (media === "application/json") {
    const page = readPageById(ctx, `workflow-runs/${run.id}/explain`, { order: "asc", ...query }, "d");
    return presentPage(ctx, page, await listDecisions(ctx, run, filter, page));
  }

  for (const [name, value] of Object.entries({ cursor, order })) {
    if (value !== undefined) throw invalid(`query.${name}`, `cannot be used with ${media}, which is not paged`, value);
  }
  if (media === "text/event-stream") return followDecisions(ctx, run, filter);
  reply.header("content-type", media);
  return Readable.from(writeLines(ctx, run, filter));
}

async function* writeLines(...[ctx, run, filter]: Parameters<typeof readDecisions>): AsyncGenerator<string> {
  for await (const page of readDecisions(ctx, run, filter))
    yield page.map((each) => `${JSON.stringify(each)}\n`).join("");
}
