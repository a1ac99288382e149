import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { isLongSpec } from './process-wide.specs.js';

/** Orders the files of tests so that those that take longest begin first, and none of them runs last and alone. */
export class LongFirstSequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { root } = this.ctx.config;
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification): boolean => isLongSpec(relative(root, moduleId));
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}
