// What the compactors of this folder are, and the model that one of them asks. Both match the engine's ports by shape.
import type { Compacted, CompactionInput } from '../../schema/compaction.ts';
import type { CallContext, ModelRequest, ModelResponse } from '../../schema/model-call.ts';

/**
 * Makes the outgoing view smaller; the history is not touched. Stateless: what is to be remembered is the checkpoint. Rejects with the
 * signal's reason, and for nothing else. One contract suite holds every compactor to this (`__tests__/contracts/compactor.ts`).
 */
export interface Compactor {
  compact(input: CompactionInput, context: CallContext): Promise<Compacted>;
}

/** The model that writes summaries, without tools. Rejects when it fails. */
export interface SummaryProvider {
  generate(request: ModelRequest, context: CallContext): Promise<ModelResponse>;
}
