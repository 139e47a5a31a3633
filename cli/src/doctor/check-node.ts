import { type Check, failed, ok } from "./check.ts";

const MIN_VERSION = [20, 19] as const;

export const checkNode: Check = async () => {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const isEnough = major > MIN_VERSION[0] || (major === MIN_VERSION[0] && minor >= MIN_VERSION[1]);
  if (isEnough) return [ok("node", `Node ${process.versions.node}`)];
  return [
    failed(
      "node",
      `Node ${process.versions.node} is too old`,
      `Install Node ${MIN_VERSION.join(".")} or newer; 24 is recommended.`,
    ),
  ];
};
