// An application: each transaction inserts an order and enqueues its job, and 30 % are rolled back. It may be killed at
// any moment and started again: an order that was committed is not repeated.
import pg from "pg";

const [url, first, step, end] = process.argv.slice(2);

async function place(client, n) {
  await client.query("begin");
  await client.query("insert into orders (n) values ($1)", [n]);
  await client.query("select millrace.enqueue('ship', $1, $2)", [{ n }, { concurrency_key: `customer-${n % 50}` }]);
  await client.query(n % 10 < 3 ? "rollback" : "commit");
}

for (let n = Number(first); n < Number(end); n += Number(step)) {
  for (;;) {
    const client = new pg.Client({ connectionString: url });
    client.on("error", () => {});
    try {
      await client.connect();
      // Many on one connection, as with a pool.
      for (; n < Number(end); n += Number(step)) {
        process.stdout.write(`${n}\n`);
        await place(client, n);
      }
      await client.end();
      break;
    } catch (error) {
      await client.end().catch(() => {});
      if (error.code === "23505") n += Number(step);
      else await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}
