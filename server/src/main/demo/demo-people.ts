import type { CreateApiKey } from "@millrace/contract/api-keys";
import type { AssignMember } from "@millrace/contract/members";
import type { CreateRole } from "@millrace/contract/roles";

/** The members of the demo. Nobody has its key: its secret is returned once, and discarded here. */
export const DEMO_KEY: CreateApiKey = {
  name: "Shop (demo)",
  scopes: ["jobs:trigger", "workflows:trigger", "runs:read"],
  expires_in_days: 90,
};

export const DEMO_ROLE: CreateRole = {
  name: "Packer (demo)",
  parent_role_id: "viewer",
  permissions: ["events:send"],
};

export const DEMO_MEMBER: AssignMember = { subject: "ada@example.com", name: "Ada (demo)", role_id: DEMO_ROLE.name };
