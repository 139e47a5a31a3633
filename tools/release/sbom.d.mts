type Component = {
  name: string;
  version: string;
  purl: string;
  type: string;
  licenses: { license: { id: string } }[];
  hashes?: { alg: string; content: string }[];
};

export function sbom(
  version: string,
  at: Date,
): { metadata: { component: Component }; components: Required<Component>[] };
