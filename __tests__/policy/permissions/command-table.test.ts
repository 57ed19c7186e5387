import { describe, expect, test } from '@jest/globals';
import { commandTable, ruleSets } from './command-table.ts';
import { checkerOf } from './scene.ts';

describe('[spec 9 permission control] what rules say of a command', () => {
  test.each(commandTable)('rules "%s": %j is answered with %s, saying %j', async (rules, line, decision, says) => {
    const answer = await checkerOf(ruleSets[rules]).bash(line);
    const text = answer.kind === 'deny' ? answer.text : answer.kind === 'none' ? '' : answer.rule;
    expect({ kind: answer.kind, says: text.includes(says) ? says : text }).toEqual({ kind: decision, says });
  });
});
