const NAMES = ["userName", "externalId", "displayName", "active", "name", "emails", "members", "id"];
const BY_LOWER_CASE = new Map(NAMES.map((name) => [name.toLowerCase(), name]));
/** Of a regular expression. */
export const CORE_SCHEMA = "urn:ietf:params:scim:schemas:core:2\\.0:(?:User|Group):";
const PREFIX = new RegExp(`^${CORE_SCHEMA}`, "i");

/** Names of attributes are case-insensitive (RFC 7643, 2.1). Unknown attributes stay as they are. */
export function canonicalName(name: string): string {
  return BY_LOWER_CASE.get(name.toLowerCase()) ?? name;
}

/** An attribute of the core schemas may be prefixed with its schema. */
export function withoutCoreSchema(path: string): string {
  return path.replace(PREFIX, "");
}

/** The resource with the names of its attributes in canonical case. */
export function canonicalBody(body: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [canonicalName(withoutCoreSchema(name)), value]),
  );
}
