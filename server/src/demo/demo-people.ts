import type { CreateApiKey } from "@millrace/contract/api-keys";
import type { AssignMember } from "@millrace/contract/members";
import type { CreateRole } from "@millrace/contract/roles";

/**
 * An API key, a role and a member for the demo. Nobody has the secret of the key: it is returned once, and discarded
 * here.
 */
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
