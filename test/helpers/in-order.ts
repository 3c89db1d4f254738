import { BaseSequencer, type TestSequencerConstructor, type TestSpecification } from 'vitest/node';

/** Test files start in the order of these names, without `.test.ts`; the others follow in their existing order. */
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
