/** After a million inserts: what autovacuum and the checkpointer would do in the next minutes is done before the clock runs. */
export async function settleDatabase(client) {
  await client.query("vacuum analyze");
  await client.query("checkpoint");
}
