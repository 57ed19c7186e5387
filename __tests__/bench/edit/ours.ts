// The product's edit function as the benchmark calls it.
import { applyEdit } from '../../../src/tools/edit-file/apply-edit.ts';
import { EditError } from '../../../src/tools/edit-file/edit-error.ts';
import type { ApplyEdit } from './judge.ts';

/** null for a refusal; any other throw is a bug and goes through. */
export const applyOurs: ApplyEdit = (content, old, made, options) => {
  try {
    return applyEdit(content, old, made, options);
  } catch (error) {
    if (error instanceof EditError) return null;
    throw error;
  }
};
