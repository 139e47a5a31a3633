import type { Access, AccessPolicy } from "../../context.ts";

/**
 * The target of an action, as far as policies need it. Its job, workflow and environment count like the target itself.
 */
export type Target = {
  type: string;
  id: string;
  environment_id?: string | null;
  job_id?: string | null;
  workflow_id?: string | null;
  tags?: Record<string, string>;
};

export type Decision = {
  allowed: boolean;
  decided_by: "scope" | "allow_policy" | "deny_policy" | "nothing";
  policy_id: string | null;
};

/**
 * Decides whether an action on a target is allowed. Deny wins; otherwise a scope or an allow policy is needed.
 * `visibility.ts` is the same rule in SQL.
 */
export function decide({ isHeld, policies }: Access, target: Target): Decision {
  // Most projects have no policies, and every run of a batch is checked.
  if (policies.length === 0) return isHeld ? BY_SCOPE : BY_NOTHING;
  const touching = policies.filter((policy) => touches(policy, target));
  const denying = touching.find(({ effect }) => effect === "deny");
  if (denying) return { allowed: false, decided_by: "deny_policy", policy_id: denying.id };
  if (isHeld) return BY_SCOPE;
  const allowing = touching.find(({ effect }) => effect === "allow");
  if (allowing) return { allowed: true, decided_by: "allow_policy", policy_id: allowing.id };
  return BY_NOTHING;
}

const BY_SCOPE: Decision = { allowed: true, decided_by: "scope", policy_id: null };
const BY_NOTHING: Decision = { allowed: false, decided_by: "nothing", policy_id: null };

export function touches(policy: AccessPolicy, target: Target): boolean {
  if (policy.tag_key !== null) {
    const { tags = {} } = target;
    if (!Object.hasOwn(tags, policy.tag_key)) return false;
    return policy.tag_value === null || policy.tag_value === tags[policy.tag_key];
  }
  const { resource_type, resource_id } = policy;
  if (resource_type === "*") return resource_id === "*" || resource_id === target.id;
  const id = idOf(resource_type ?? "", target);
  return id != null && (resource_id === "*" || resource_id === id);
}

function idOf(type: string, { type: own, id, job_id, workflow_id, environment_id }: Target): string | null | undefined {
  if (type === own) return id;
  if (type === "job") return job_id;
  if (type === "workflow") return workflow_id;
  return type === "environment" ? environment_id : undefined;
}
