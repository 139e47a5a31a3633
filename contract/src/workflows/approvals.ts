import Type, { type Static } from "typebox";
import { EnvironmentRef, Id, paging, Timestamp } from "../schema/fields.ts";
import { listOf, nullable, responseObject } from "../schema/schema.ts";

export const Approval = responseObject(
  "Approval",
  {
    id: { ...Id, description: "The event trigger of the wait." },
    workflow_run_id: Id,
    workflow_id: Id,
    workflow_name: Type.String(),
    environment_id: Id,
    step_ref: Type.String(),
    message: nullable(Type.String({ description: "The approval message, as in the step run." })),
    approvers: Type.Array(Type.String(), {
      description: "Names, key ids or subjects of those who may decide. Empty: everyone who may write workflows.",
    }),
    may_decide: Type.Boolean({ description: "Whether the caller may approve or reject it." }),
    requested_at: Timestamp,
    expires_at: Timestamp,
    created_at: Timestamp,
  },
  "A step of a workflow run that waits for an approval.",
);
export type Approval = Static<typeof Approval>;
export const ApprovalList = listOf("ApprovalList", Approval);

export const ListApprovalsQuery = Type.Object(
  {
    ...paging,
    environment_id: Type.Optional(EnvironmentRef),
    workflow_run_id: Type.Optional(Id),
    mine: Type.Optional(Type.Boolean({ description: "True: only those that the caller may decide." })),
  },
  { additionalProperties: false },
);
export type ListApprovalsQuery = Static<typeof ListApprovalsQuery>;
