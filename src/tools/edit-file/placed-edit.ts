// An edit with a place for it. Pure data.
import type { LineEdit } from './block.ts';
import type { Change } from './changes.ts';
import type { Alignment } from './loose-match.ts';

/** `place` has a span of `content` for each old line, `changes` are those of `edit`. */
export interface PlacedEdit {
  readonly content: string;
  readonly edit: LineEdit;
  readonly changes: readonly Change[];
  readonly place: Alignment;
}
