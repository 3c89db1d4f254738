import { BaseSequencer, type TestSequencerConstructor, type TestSpecification } from 'vitest/node';

/** Test files begin in the order of these names, without `.test.ts`; all others follow as they are. */
export function inOrder(names: readonly string[]): TestSequencerConstructor {
  const place = ({ moduleId }: TestSpecification) => {
    const found = names.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
    return found < 0 ? names.length : found;
  };
  return class extends BaseSequencer {
    override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
      return [...files].sort((a, b) => place(a) - place(b));
    }
  };
}
