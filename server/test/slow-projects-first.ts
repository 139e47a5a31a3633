import { BaseSequencer, type TestSpecification } from "vitest/node";

const ORDER = ["browser", "examples", "build", "embedded"];

/** Whole minutes first, and the many small files last, so that no worker is left with a long one at the end. */
export class SlowProjectsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ project }: TestSpecification) =>
      (ORDER.indexOf(project.name) + ORDER.length + 1) % (ORDER.length + 1);
    return (await super.sort(files)).toSorted((a, b) => place(a) - place(b));
  }
}
