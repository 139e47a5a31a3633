import { ShadowReport, ShadowWorkflow } from "@millrace/contract/shadow";
import { projectRoute, type Route } from "../../../platform/route.ts";
import { stepsSemanticValidation } from "../validate/semantic-validation.ts";
import { shadowWorkflow } from "./shadow-workflow.ts";

export const shadowRoutes: Route[] = [
  projectRoute({
    method: "POST",
    path: "/v1/workflows/{workflowID}/shadow",
    summary: "Replay ended runs against a candidate version, without dispatching anything",
    scope: "workflows:read",
    foundBy: { table: "workflows", param: "workflowID" },
    body: ShadowWorkflow,
    semanticValidation: stepsSemanticValidation,
    response: ShadowReport,
    errors: ["policy_violated", "slug_taken"],
    run: (ctx, { params, body }) => shadowWorkflow(ctx, params.workflowID, body),
  }),
];
