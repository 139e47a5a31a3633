import fastify from "fastify";
import pg from "pg";
import { connectionTo } from "../start-millrace.mjs";

// The baseline: one route, one query, and a response serialized by a schema, without authentication, validation or
// metrics.
const pool = new pg.Pool({ ...connectionTo(process.argv[2]), max: 10 });
const app = fastify();
const text = { type: "string" };
const nullableText = { type: ["string", "null"] };
const Project = {
  type: "object",
  properties: {
    id: text,
    org_id: nullableText,
    slug: text,
    name: text,
    description: nullableText,
    max_active_event_triggers: { type: ["integer", "null"] },
    compute_rate_microusd_per_sec: text,
    created_at: { type: "string", format: "date-time" },
    updated_at: { type: "string", format: "date-time" },
  },
};
app.get("/v1/projects/:id", { schema: { response: { 200: Project } } }, async (request) => {
  const { rows } = await pool.query(
    `select id, org_id, slug, name, description, max_active_event_triggers, compute_rate_microusd_per_sec,
       created_at, updated_at from projects where id = $1 and deleted_at is null`,
    [request.params.id],
  );
  return rows[0];
});
process.send(await app.listen({ host: "127.0.0.1", port: 0 }));
