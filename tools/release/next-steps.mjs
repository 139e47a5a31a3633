const IMAGE = "ghcr.io/millrace/millrace";
const CHARTS = "oci://ghcr.io/millrace/charts";

/** The commands that publish a release. `npm publish --provenance` would only work in CI. */
export function nextSteps(version, tarballs) {
  const build = `docker buildx build --platform linux/amd64,linux/arm64 --sbom=true --provenance=true -f deploy/Dockerfile`;
  const [major, minor] = version.split(".");
  const tags = version.includes("-") ? [version] : [version, `${major}.${minor}`, major, "latest"];
  return [
    // `--follow-tags` pushes annotated tags only.
    `git commit -am "release: ${version}" && git tag -a v${version} -m "Millrace ${version}" && git push --follow-tags`,
    ...tarballs.map((path) => `npm publish ${version.includes("-") ? "--tag next " : ""}${path}`),
    `${build} ${tags.map((tag) => `-t ${IMAGE}:${tag}`).join(" ")} --push dist/tarballs`,
    `helm package deploy/helm/millrace && helm push millrace-${version}.tgz ${CHARTS}`,
  ];
}
