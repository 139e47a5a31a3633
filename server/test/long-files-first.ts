import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Child processes and databases of their own. */
const LONG = /^(examples|cli|sdk\/src|sdk\/test\/build|server\/test\/service|.*\/embedded-postgres)\b/;

/** The many small files come last, so that no worker is left with a long one at the end. */
export class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { root } = this.ctx.config;
    const isLong = ({ moduleId }: TestSpecification) => LONG.test(moduleId.slice(root.length + 1));
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}
