import { createHash } from "node:crypto";
import {
  CAPSULE_FORMAT,
  CAPSULE_VERSION,
  CapsuleList,
  CapsuleSummary,
  ListCapsulesQuery,
  RunCapsule,
} from "@millrace/contract/workflows/capsules";
import { boundEnvironment } from "../../../platform/access/environments.ts";
import { recordAudit } from "../../../platform/audit/record-audit.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import { inTransaction } from "../../../platform/database/transaction.ts";
import { invalid, notFound } from "../../../platform/errors/errors.ts";
import { newId } from "../../../platform/ids.ts";
import { writeCanonicalJson } from "../../../platform/json/canonical-json.ts";
import { presentPage, readPageById } from "../../../platform/listing/page.ts";
import { projectRoute, type Route } from "../../../platform/route.ts";
import { inSlices } from "../../../platform/time-slices.ts";
import { getWorkflowRun } from "../queries.ts";
import { readCapsuleContent } from "./capsule-content.ts";
import {
  type CapsuleRow,
  findCapsuleDocument,
  insertCapsule,
  listCapsuleRows,
  removeCapsule,
} from "./capsule-queries.ts";

/** Sent as plain text: serialization by a schema would not preserve every byte. */
const produces = "application/vnd.millrace.run-capsule+json";
const foundBy = { table: "run_capsules", param: "capsuleID" } as const;

export const capsuleRoutes: Route[] = [
  projectRoute("GET /v1/workflow-runs/{workflowRunID}/capsule", {
    summary: "Export a complete workflow run as a RunCapsule",
    scope: "workflows:read",
    foundBy: { table: "workflow_runs", param: "workflowRunID" },
    produces,
    producesSchema: RunCapsule,
    run: (ctx, { params }) => exportCapsule(ctx, params.workflowRunID),
  }),
  projectRoute("POST /v1/workflow-runs/capsules", {
    summary: "Import a capsule to inspect its run and replay it",
    scope: "workflows:write",
    body: RunCapsule,
    response: CapsuleSummary,
    status: 201,
    run: (ctx, { body }) => importCapsule(ctx, body),
  }),
  projectRoute("GET /v1/workflow-runs/capsules", {
    summary: "List imported capsules",
    scope: "workflows:read",
    query: ListCapsulesQuery,
    response: CapsuleList,
    run: (ctx, { query }) => listCapsules(ctx, query),
  }),
  projectRoute("GET /v1/workflow-runs/capsules/{capsuleID}", {
    summary: "Get an imported capsule, byte for byte as it was exported",
    scope: "workflows:read",
    foundBy,
    produces,
    producesSchema: RunCapsule,
    run: (ctx, { params }) => getCapsule(ctx, params.capsuleID),
  }),
  projectRoute("DELETE /v1/workflow-runs/capsules/{capsuleID}", {
    summary: "Delete an imported capsule",
    scope: "workflows:write",
    foundBy,
    run: (ctx, { params }) => deleteCapsule(ctx, params.capsuleID),
  }),
];

async function listCapsules(ctx: ProjectCtx, query: ListCapsulesQuery) {
  const page = readPageById(ctx, "workflow-runs/capsules", query, "c");
  return presentPage(ctx, page, await listCapsuleRows(ctx, page));
}

async function exportCapsule(ctx: ProjectCtx, id: string): Promise<string> {
  const content = await readCapsuleContent(ctx, await getWorkflowRun(ctx, id));
  return (await inSlices(writeCapsule(content))).document;
}

/** Returns the capsule byte for byte as it was exported. */
async function getCapsule(ctx: ProjectCtx, id: string): Promise<string> {
  const document = await findCapsuleDocument(ctx, id);
  if (document === undefined) throw notFound("capsule");
  return document;
}

async function deleteCapsule(ctx: ProjectCtx, id: string): Promise<undefined> {
  await inTransaction(ctx, async (tx) => {
    const before = await removeCapsule(tx, id);
    if (!before) throw notFound("capsule");
    await recordAudit(tx, { action: "run_capsule.deleted", resource_type: "run_capsule", resource_id: id, before });
  });
}

/** Stores a run of another installation for inspection and replays. It is not executed here. */
async function importCapsule(ctx: ProjectCtx, { sha256, content }: RunCapsule): Promise<CapsuleRow> {
  const { document, sha256: hash } = await inSlices(writeCapsule(content));
  if (hash !== sha256) {
    throw invalid("body.sha256", "is not the hash of the content: the capsule was modified", sha256);
  }
  const { workflow, run } = content;
  const capsule = {
    id: newId(),
    environment_id: boundEnvironment(ctx.caller),
    workflow_run_id: run.id,
    workflow_id: workflow.id,
    workflow_slug: workflow.slug,
    workflow_name: workflow.name,
    version: run.version,
    status: run.status,
    sha256,
    document,
    size_bytes: Buffer.byteLength(document),
  };
  return inTransaction(ctx, async (tx) => {
    const after = await insertCapsule(tx, capsule);
    await recordAudit(tx, {
      action: "run_capsule.imported",
      resource_type: "run_capsule",
      resource_id: after.id,
      after,
    });
    return after;
  });
}

/**
 * A capsule as canonical JSON, and the hash of its content. The same run gives the same text, and parsing and
 * serializing it changes no byte. For `inSlices`: a run of hundreds of steps has megabytes.
 */
export function* writeCapsule(content: object): Generator<void, { document: string; sha256: string }> {
  const text = yield* writeCanonicalJson(content);
  const sha256 = hashOf(text);
  const head = `"format":${JSON.stringify(CAPSULE_FORMAT)},"sha256":"${sha256}","version":${CAPSULE_VERSION}`;
  return { document: `{"content":${text},${head}}`, sha256 };
}

/** Detects accidental changes. It is no signature: anyone can create a capsule with a valid hash. */
function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
