/** A logger for Restate's SDK: it logs every failed try of every call, thousands when one thing is wrong. */
export function tellFirstError() {
  let told = false;
  return ({ level }, ...message) => {
    if (level !== "error" || told) return;
    told = true;
    process.stderr.write(`${message.join(" ")}\n`);
  };
}
