/** A logger for the Restate SDK that prints only the first error, since it logs every failed try of every call. */
export function logFirstError() {
  let isLogged = false;
  return ({ level }, ...message) => {
    if (level !== "error" || isLogged) return;
    isLogged = true;
    process.stderr.write(`${message.join(" ")}\n`);
  };
}
