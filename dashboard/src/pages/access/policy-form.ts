import type { ResourcePolicy, TagPolicy } from "@millrace/contract/access/policies";

const EMPTY = {
  effect: "deny",
  target: "resource",
  subject: "",
  actions: "",
  resource_type: "job",
  resource_id: "*",
  tag_key: "",
  tag_value: "",
  description: "",
};

export type PolicyForm = typeof EMPTY;

/** A policy as the fields of the dialog. */
export function formOf(policy: ResourcePolicy | TagPolicy | undefined): PolicyForm {
  if (!policy) return EMPTY;
  const { effect, subject, actions, description } = policy;
  const shared = { ...EMPTY, effect, subject, actions: actions.join(", "), description: description ?? "" };
  if ("tag_key" in policy)
    return { ...shared, target: "tag", tag_key: policy.tag_key, tag_value: policy.tag_value ?? "" };
  return { ...shared, resource_type: policy.resource_type, resource_id: policy.resource_id };
}

export function pathOf({ target }: PolicyForm): string {
  return target === "tag" ? "/v1/tag-policies" : "/v1/resource-policies";
}

export function bodyOf(form: PolicyForm) {
  const { effect, tag_key, tag_value, resource_type, resource_id } = form;
  const shared = {
    effect,
    subject: form.subject.trim(),
    actions: form.actions.split(/[\s,]+/).filter(Boolean),
    description: form.description.trim() === "" ? null : form.description.trim(),
  };
  return form.target === "tag"
    ? { ...shared, tag_key, tag_value: tag_value === "" ? null : tag_value }
    : { ...shared, resource_type, resource_id };
}
