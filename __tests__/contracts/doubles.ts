// Doubles for the contract of registries: tools under real tools' names that do what the text of their one required field says.
import { writeFileSync } from 'node:fs';
import { z } from 'zod';
import { textPart } from '../../src/schema/message.ts';
import { defineTool, type Tool, type ToolContext, type ToolOutcome } from '../../src/tools/tool.ts';

/** What a double is told to do, as `act` or `act:file`. Everything else comes back as the arguments that arrived, as JSON. */
type Act = 'throws' | 'nothing' | 'silent' | 'fails' | 'exits' | 'shows' | 'run' | 'touches' | 'waits' | 'deaf';

/** read_file with its field `path`. It lives where commands live. */
export function createReadDouble(): Tool {
  return createDouble({ name: 'read_file', field: 'path', place: 'host' });
}

/** use_skill with its field `skill_name`. It lives in our own process. */
export function createSkillDouble(): Tool {
  return createDouble({ name: 'use_skill', field: 'skill_name', place: 'main' });
}

function createDouble({ name, field, place }: { name: string; field: string; place: 'host' | 'main' }): Tool {
  return defineTool({
    name,
    description: 'Does what it is told.',
    place,
    effect: 'read',
    schema: z.object({ [field]: z.string(), limit: z.number().int().optional() }),
    run: (args, context) => perform(String(args[field]), args, context),
  });
}

type Outcome = ToolOutcome | string;

async function perform(told: string, args: object, context: ToolContext): Promise<Outcome> {
  const [name = '', file = ''] = told.split(/:(.*)/s);
  const act = Object.entries(actsOf(context, file)).find(([each]) => each === name)?.[1];
  return act === undefined ? JSON.stringify(args) : await act();
}

function actsOf({ signal, run }: ToolContext, file: string): Readonly<Record<Act, () => Outcome | Promise<Outcome>>> {
  return {
    throws: () => {
      throw new Error('it broke');
    },
    // What a tool written elsewhere may do, whatever its type says.
    nothing: () => JSON.parse('null'),
    silent: () => '',
    fails: () => ({ output: 'did not work', isError: true }),
    exits: () => ({ output: 'gone', isError: true, exit: { code: null, signal: 'SIGKILL', timedOut: false } }),
    shows: () => ({ output: [textPart('look'), { type: 'image', mediaType: 'image/png', data: 'iVBORw0K' }], isError: false }),
    run: () => JSON.stringify(run ?? null),
    touches: () => begin(file),
    waits: async () => {
      begin(file);
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      return { output: 'as far as it came', isError: true };
    },
    deaf: () => {
      begin(file);
      return new Promise(() => undefined);
    },
  };
}

/** Leaves a sign that another process sees. */
function begin(file: string): string {
  writeFileSync(file, 'begun');
  return 'begun';
}
