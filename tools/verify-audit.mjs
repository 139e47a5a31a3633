#!/usr/bin/env node
import { createHash, createPublicKey, verify } from "node:crypto";
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";

// Verifies an export of audit events without the service: `npm run verify-audit -- export.ndjson --public-key
// <base64>`. Exits with 0 if all events are unchanged, with 1 if not, and with 2 if the file cannot be verified.

const { values, positionals } = parseArgs({ allowPositionals: true, options: { "public-key": { type: "string" } } });
const [file] = positionals;
if (!file) end(2, "Give a file: a complete NDJSON export of audit events.");

const SEALED = [
  ...["chain_no", "project_id", "id", "actor_kind", "actor_id", "actor_name", "action", "resource_type"],
  ...["resource_id", "before", "after", "ip", "user_agent", "request_id", "created_at"],
];

const events = [];
let head;
for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })) {
  if (line === "") continue;
  const row = JSON.parse(line);
  if (row.head) head = row.head;
  else if (row.chain_no !== null) events.push(row);
}
if (!head) end(2, "The export does not end with the head of the chain: it is incomplete.");

const key = values["public-key"] ?? head.public_key;
const issues = [];
if (!isSigned("head", head.count, head.hash, head.signature))
  issues.push("The end of the chain is not signed with this key.");
if (!isSigned("start", head.start_no, head.start_hash, head.start_signature))
  issues.push("The start of the chain is not signed with this key.");

events.sort((a, b) => a.chain_no - b.chain_no);
let last = head.start_no;
let hash = head.start_hash;
for (const event of events) {
  if (event.chain_no > head.count) continue; // sealed while the export was being written
  if (event.chain_no !== last + 1) issues.push(`Events ${last + 1} to ${event.chain_no - 1} are missing.`);
  else if (hashOf(hash, event) !== event.hash)
    issues.push(`Event ${event.chain_no} (${event.id}) differs from what was sealed.`);
  last = event.chain_no;
  hash = event.hash;
}
if (last !== head.count) issues.push(`The chain ends with event ${last}; ${head.count} were sealed.`);
else if (hash !== head.hash) issues.push("The chain does not end with the signed hash.");

if (issues.length > 0) end(1, issues.join("\n"));
const trust = values["public-key"] ? "" : " The public key came with the file: compare it with the one you kept.";
end(0, `${events.length} events are unchanged, from ${head.start_no + 1} to ${head.count}.${trust}`);

function isSigned(what, no, hex, signature) {
  const x = Buffer.from(key, "base64").toString("base64url");
  const publicKey = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });
  const text = `millrace audit ${what}\n${head.project_id}\n${no}\n${hex}`;
  return verify(null, Buffer.from(text), publicKey, Buffer.from(signature, "base64"));
}

function hashOf(previous, event) {
  const sealed = Object.fromEntries(SEALED.map((name) => [name, event[name]]));
  return createHash("sha256").update(Buffer.from(previous, "hex")).update(canonical(sealed)).digest("hex");
}

function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(",")}}`;
}

function end(code, message) {
  (code === 0 ? process.stdout : process.stderr).write(`${message}\n`);
  process.exit(code);
}
