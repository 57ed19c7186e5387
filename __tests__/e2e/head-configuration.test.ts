// End to end on dist: what a pull request's head brings along under the names of configuration is material, and configures nothing.
import { describe, expect, test } from '@jest/globals';
import { mentionOn } from './mention.ts';
import { shopFiles, startScene } from './scene.ts';

const timeout = 180_000;
const reads = { calls: [{ name: 'read_file', arguments: { path: 'src/total.js' } }] };
const says = (who: string) => `echo "Said by the ${who}." >&2\nexit 2\n`;
const asks = (script: string) => `PreToolUse:\n  - script: ./.harness9/${script}\n`;
const serves = (name: string) =>
  JSON.stringify({ [name]: { command: `/no/such/program/of-the-${name}`, lowest_trust: 'untrusted' } });
const inputs = { hooks: './.harness9/hooks.yml', mcp_config: './.harness9/mcp.json' };

describe.each([
  ['of this repository', {}],
  ['of a fork', { fork: 'oscar/shop' }],
])('the head of a pull request %s', (_whose, from) => {
  test(
    '[B8] [I3] changes no hooks, no script of one and no servers',
    async () => {
      const files = {
        ...shopFiles,
        '.harness9/hooks.yml': asks('check.sh'),
        '.harness9/check.sh': says('base'),
        '.harness9/mcp.json': serves('base'),
      };
      await using scene = await startScene([reads, { text: 'Looked.' }], { files });
      const brought = {
        '.harness9/hooks.yml': asks('other.sh'),
        '.harness9/check.sh': says('head'),
        '.harness9/other.sh': says('head'),
        '.harness9/mcp.json': serves('head'),
      };
      const pull = await scene.github.openPull({ author: 'wendy', title: 'More', head: 'more', files: brought, ...from });
      scene.passMinute();
      await mentionOn(scene, pull.number, { inputs });
      const told = JSON.stringify(scene.sent(1).messages.at(-1));
      expect([told.includes('Said by the base.'), told.includes('Said by the head.')]).toEqual([true, false]);
      const servers = scene
        .replies(pull.number)
        .at(-1)
        ?.match(/MCP server "\w+"/g);
      expect(servers).toEqual(['MCP server "base"']);
    },
    timeout,
  );
});

test.each(Object.entries({ ...inputs, permission_rules: './.harness9/rules.txt' }))(
  '[B8] [I3] a file for %s that only the head has is not there: the run ends before the model is asked',
  async (input, file) => {
    await using scene = await startScene([]);
    const files = {
      '.harness9/hooks.yml': asks('x.sh'),
      '.harness9/mcp.json': serves('head'),
      '.harness9/rules.txt': 'allow bash',
    };
    const pull = await scene.github.openPull({ author: 'wendy', title: 'New', head: 'new', files });
    scene.passMinute();
    const { result } = await mentionOn(scene, pull.number, { inputs: { [input]: file } });
    expect(result.outputs).toMatchObject({ conclusion: 'error' });
    expect(scene.replies(pull.number).at(-1)).toContain(`input \`${input}\`: "${file}"`);
    expect(scene.model.requests).toEqual([]);
  },
  timeout,
);
