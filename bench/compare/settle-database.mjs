/** Does after bulk inserts what autovacuum and the checkpointer would do during the measurement. */
export async function settleDatabase(client) {
  await client.query("vacuum analyze");
  await client.query("checkpoint");
}
