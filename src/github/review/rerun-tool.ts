// Owns the tool with which a run in the mode `fix` says that a check is to run again instead of being mended. It runs nothing itself.
import { z } from 'zod';
import type { Bundle } from '../../schema/bundle.ts';
import { oneLine } from '../../schema/one-line.ts';

const maxReasonChars = 500;
const schema = z.object({ reason: z.string().trim().min(1).max(maxReasonChars) });

export function createRerunTool() {
  let wish: Bundle['rerun'] = null;
  const tool = {
    name: 'rerun_failed_jobs',
    description:
      'Has the failed jobs run again when you are done, instead of a change: only where the log shows that the failure is not the code’s ' +
      '(a network, a runner, a test that passes and fails by chance). `reason`: what in the log shows it, in one sentence. Change no file then.',
    place: 'main',
    effect: 'read',
    schema,
    run: async ({ reason }: z.infer<typeof schema>) => {
      wish = { reason: oneLine(reason, maxReasonChars) };
      return { output: 'The failed jobs run again when you are done. Say so in your answer.', isError: false };
    },
  } as const;
  return { tool, wish: () => wish };
}
