type Names = Map<string, string>;

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;
const SECRET = /\bsvc_[0-9A-Za-z]{20,}|\bwhsec_[\w+/=-]{8,}|\bey[A-Z][\w-]+\.[\w.-]+|Bearer\s+[^\s"]+/g;
const CREDENTIALS = /(\w+:\/\/)[^\s/@"]+@/g;
const ADDRESS = /\b\d{1,3}(?:\.\d{1,3}){3}\b/g;
const MAIL = /[\w.+-]+@[\w-]+\.[\w.-]+/g;

/** Labels of metrics, in a JSON string. `other` stands for jobs without series of their own. */
const SLUG = /\b(project|job)=\\"(?!other\\")([^"\\]+)\\"/g;

/** Redacts ids, slugs, hosts, addresses and secrets for sharing; equal values get equal placeholders. */
export function redact(text: string, hosts: readonly string[]): string {
  const names: Names = new Map();
  const alias = (kind: string) => (found: string) => {
    const known = names.get(found) ?? `${kind}-${names.size + 1}`;
    names.set(found, known);
    return known;
  };
  const hidden = hosts.reduce((all, host) => all.replaceAll(host, alias("host")(host)), text);
  return hidden
    .replace(SLUG, (_, label: string, slug: string) => `${label}=\\"${alias(label)(slug)}\\"`)
    .replace(SECRET, "[secret]")
    .replace(CREDENTIALS, "$1[credentials]@")
    .replace(MAIL, alias("mail"))
    .replace(UUID, alias("id"))
    .replace(ADDRESS, alias("address"));
}
