// Hooks as commands: which one is asked about what, and what its verdict does. The asking is ask-command.ts, the form of the texts protocol.ts.
import { Harness9Error } from '../../schema/error.ts';
import type {
  PostToolUse,
  PostToolUseAnswer,
  PreToolUse,
  PreToolUseAnswer,
  Stop,
  StopAnswer,
  TurnComplete,
  TurnCompleteAnswer,
} from '../../schema/hook.ts';
import { type ToolCall, type ToolDefinition, textPart } from '../../schema/message.ts';
import type { CallContext } from '../../schema/model-call.ts';
import { oneLine } from '../../schema/one-line.ts';
import type { StartProcess } from '../../schema/running-process.ts';
import { type AskParts, createAsk } from './ask-command.ts';
import type { HookDefinition } from './parse-hooks.ts';
import {
  callFields,
  postToolUseAnswer,
  preToolUseAnswer,
  resultFields,
  stopAnswer,
  stopFields,
  turnCompleteAnswer,
  turnFields,
} from './protocol.ts';
import { isShellText, shellTextExpected } from './shell.ts';

export interface CommandHookParts extends Omit<AskParts, 'startProcess'> {
  /** What starts a hook's processes: not every run may run what lies in the workspace. */
  readonly starterOf: (run: HookDefinition['run']) => StartProcess;
  /** Whether a permission pattern speaks of a call. `tool`: undefined when no tool has the name, and always after the call. */
  readonly matches: (
    matcher: string,
    call: ToolCall,
    tool: ToolDefinition | undefined,
    context: CallContext,
  ) => Promise<boolean> | boolean;
  /** The texts of the files that `scriptPaths` names, as they stand on the base commit. */
  readonly scripts: ReadonlyMap<string, string>;
}

/** What engine/ports.ts takes for a hook; each has the one function of its event. */
interface CommandHook extends HookFunctions {
  readonly name: string;
  readonly timeoutMs: number;
}

interface HookFunctions {
  preToolUse?(event: PreToolUse, context: CallContext): Promise<PreToolUseAnswer | undefined>;
  postToolUse?(event: PostToolUse, context: CallContext): Promise<PostToolUseAnswer | undefined>;
  turnComplete?(event: TurnComplete, context: CallContext): Promise<TurnCompleteAnswer | undefined>;
  stop?(event: Stop, context: CallContext): Promise<StopAnswer | undefined>;
}

/** The engine's own limit comes behind ours and the end of the process, so that it is our words that say what happened. */
const engineGraceMs = 5000;
const maxSeenChars = 60;
const maxNotedChars = 300;

/**
 * The hooks that `definitions` name, in their order. Whatever keeps a command from giving a clear answer rejects: the engine denies for
 * a PreToolUse and notes it for the others. Throws HOOKS_INVALID when a script's text is not there, or is not one for bash.
 */
export function createCommandHooks(definitions: readonly HookDefinition[], parts: CommandHookParts): readonly CommandHook[] {
  const texts = definitions.map(({ run }) => (run.kind === 'script' ? parts.scripts.get(run.path) : run.text));
  const problems = definitions.flatMap(({ name, run }, index) => {
    const text = texts[index];
    if (run.kind === 'command' || (text !== undefined && isShellText(text))) return [];
    return [`hook "${name}": ${run.path}: ${describeText(text)}, expected ${shellTextExpected}`];
  });
  if (problems.length > 0) {
    throw new Harness9Error({
      code: 'HOOKS_INVALID',
      message: problems.join('\n'),
      hint: 'A script is read where the configuration is trusted (in the Action: the base commit). Start other interpreters by command.',
    });
  }
  return definitions.map((definition, index) => ({
    name: definition.name,
    timeoutMs: definition.timeoutMs + engineGraceMs,
    ...functionOf(definition, texts[index] ?? '', parts),
  }));
}

function describeText(text: string | undefined): string {
  if (text === undefined) return 'no such file, or no text';
  return `${JSON.stringify(oneLine(text, maxSeenChars))} (${Buffer.byteLength(text)} bytes)`;
}

function functionOf(definition: HookDefinition, text: string, parts: CommandHookParts): HookFunctions {
  const ask = createAsk(definition, text, { ...parts, startProcess: parts.starterOf(definition.run) });
  const { name, matcher, maxSendBacks } = definition;
  const isMeant = (call: ToolCall, tool: ToolDefinition | undefined, context: CallContext) =>
    matcher === undefined || parts.matches(matcher, call, tool, context);
  switch (definition.event) {
    case 'PreToolUse':
      return {
        preToolUse: async ({ turn, call, tool }, context) => {
          if (!(await isMeant(call, tool, context))) return undefined;
          const verdict = await ask({ turn, ...callFields(call) }, preToolUseAnswer, context.signal);
          if (verdict.kind === 'blocked') return { decision: 'deny', reason: verdict.reason };
          if (verdict.answer === undefined) return undefined;
          const { decision, reason, tool_input } = verdict.answer;
          return { decision, reason, arguments: tool_input };
        },
      };
    case 'PostToolUse':
      return {
        postToolUse: async ({ turn, call, result }, context) => {
          if (!(await isMeant(call, undefined, context))) return undefined;
          const verdict = await ask({ turn, ...callFields(call), ...resultFields(result) }, postToolUseAnswer, context.signal);
          if (verdict.kind === 'blocked') {
            return { output: [...result.output, textPart(`\n[hook ${name}]\n${verdict.reason}`)] };
          }
          if (verdict.answer === undefined) return undefined;
          const { tool_output: output, is_error: isError } = verdict.answer;
          return {
            ...(output === undefined ? {} : { output: [textPart(output)] }),
            ...(isError === undefined ? {} : { isError }),
          };
        },
      };
    case 'TurnComplete':
      return {
        turnComplete: async ({ turn, calls }, context) => {
          const verdict = await ask({ turn, ...turnFields(calls) }, turnCompleteAnswer, context.signal);
          return verdict.kind === 'blocked' ? { note: oneLine(verdict.reason, maxNotedChars) } : undefined;
        },
      };
    case 'Stop':
      return {
        stop: async (event, context) => {
          const verdict = await ask({ turn: event.turn, ...stopFields(event) }, stopAnswer, context.signal);
          const message = verdict.kind === 'blocked' ? verdict.reason : verdict.answer?.message;
          if (message === undefined) return undefined;
          if (event.sentBack < maxSendBacks) return { message };
          const limit = `still not content, and it has sent the agent back as often as it may (max_send_backs: ${maxSendBacks})`;
          return { note: `${limit}: ${oneLine(message, maxNotedChars)}` };
        },
      };
  }
}
