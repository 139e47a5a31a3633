import { McpQuery } from "@millrace/contract/service/mcp";
import Type from "typebox";
import { callerRoute, type Route } from "../../platform/route.ts";
import { answerMcp } from "./answer-mcp.ts";

export const mcpRoutes: Route[] = [
  callerRoute("POST /mcp", {
    summary: "Serve the project to an AI client over the Model Context Protocol (Streamable HTTP)",
    query: McpQuery,
    signed: true,
    streams: true,
    produces: "application/json",
    producesSchema: Type.Object({}),
    otherForms: ["text/event-stream"],
    run: (ctx, { query, signed }, reply) => {
      if (!signed) throw new Error("the request is missing");
      return answerMcp(ctx, query, signed, reply);
    },
  }),
];
